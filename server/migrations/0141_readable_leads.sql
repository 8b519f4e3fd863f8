-- tributary: no transaction
-- Finds the addresses of a click for its conversion, and those of an account that keeps them no longer.
CREATE INDEX CONCURRENTLY tracked_leads_readable ON tracked_leads (account_id, click_id) WHERE email IS NOT NULL;
