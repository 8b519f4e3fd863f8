-- Old deliveries are found by endpoint and id (deliveries_by_endpoint), in the order of their age. The index on the age alone cost every
-- delivery an entry when it was queued and another one when its result was recorded.
--
-- Processes of the version before find them by reading the table, once in ten minutes, until they are restarted.
-- tributary: no transaction
DROP INDEX CONCURRENTLY IF EXISTS deliveries_by_age;
