-- A batch whose outcome is unknown must never be sent through another PayPal account: both would pay. So each submission keeps the
-- fingerprint of the account that it is sent from, written before the call and compared before every later one.
-- Rows from before have none: they count as sent by the present account only if its credentials have not changed since.
-- Only adds: the version before lives beside it, since it names its columns in every statement.

ALTER TABLE payout_submissions
  ADD COLUMN paying_account text,
  -- A person has to put the old credentials back or decide the payments; until then nothing is sent.
  ADD COLUMN account_changed boolean NOT NULL DEFAULT false;
