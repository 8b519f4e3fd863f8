-- The primary key of pinned_commissions answers what this index was for, the items that let go of a commission; so a payout of a million
-- commissions still writes into as many indexes as before.
-- tributary: no transaction
DROP INDEX CONCURRENTLY IF EXISTS pinned_commissions_released;
