-- tributary: locks insight_accounts: one row per account
-- Which definition of facts the closed days were computed by. With a new one, such as clicks by link, the service marks every day, so that it
-- is computed again. Only adds: the version before leaves it alone; run tributary insight rebuild if it worked beside this one for long.
ALTER TABLE insight_accounts ADD COLUMN facts_version integer NOT NULL DEFAULT 0;
