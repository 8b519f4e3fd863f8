-- From here on a sale may earn again for another affiliate. Processes of an earlier version name the old index where they write a clawback
-- or an adjustment, which would fail without it, and would give a reversed refund back to the affiliate before as well: so they must have
-- stopped. Until they have, both indexes hold, and nothing can be reassigned.
-- tributary: no transaction
-- tributary: not beside processes older than 0113
DROP INDEX CONCURRENTLY IF EXISTS commissions_once_per_sale;
