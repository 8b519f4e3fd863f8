-- Whether an unattributed conversion is a test, and its subscription: someone who credits it later needs both, and only conversions with a
-- pending affiliate kept them so far. Null for conversions reported before.
--
-- Only adds: the version before writes neither.

ALTER TABLE conversions ADD COLUMN is_test boolean;
ALTER TABLE conversions ADD COLUMN subscription_ref text;
