-- The account's own site, to which links lead whose affiliate or campaign doesn't exist.
--
-- Only adds: the version before leads them to a campaign's destination.

ALTER TABLE accounts ADD COLUMN site_url text;
