-- A self-referral is recognised by the customer's email, which a provider may say in another event than the one that names the affiliate. So each
-- customer's email is kept, as a keyed hash. Every row fits already, but processes of the version before write none of the new kind.
ALTER TABLE connector_links DROP CONSTRAINT connector_links_kind_check,
  ADD CONSTRAINT connector_links_kind_check CHECK (kind IN ('payment', 'code', 'email')) NOT VALID;
