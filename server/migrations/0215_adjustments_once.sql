-- The name of an adjustment from 0214 makes one entry, even if it is sent twice at the same time.
-- tributary: no transaction

CREATE UNIQUE INDEX CONCURRENTLY commissions_once_per_request ON commissions (account_id, request_id) WHERE request_id IS NOT NULL;
