-- What a sale was reported as, for conversions that are credited later: one of a test never earns for a live referral, and one that names a
-- campaign earns in no other. Sales that were stored before name none.
ALTER TABLE sales ADD COLUMN is_test boolean NOT NULL DEFAULT false, ADD COLUMN reported_campaign_id bigint;
