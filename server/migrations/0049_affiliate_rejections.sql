-- Why an affiliate was rejected, for the team, and for the affiliate where the team wants to share it.
--
-- Only adds: the version before rejects without a reason.

ALTER TABLE affiliates ADD COLUMN rejection_reason text;
ALTER TABLE affiliates ADD COLUMN rejection_is_shared boolean NOT NULL DEFAULT false;
