-- tributary: no transaction
-- The refunds of a day are rolled up with its sales, and today's are read from their rows.

CREATE INDEX CONCURRENTLY refunds_by_time ON refunds (account_id, occurred_at);
