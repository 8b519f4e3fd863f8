-- Every commission and every admission of requests wrote an entry into an index that another one makes superfluous: all statements that
-- look up the entries of a sale want its earned and credited ones, which commissions_once_per_sale covers, and the primary key of
-- api_key_admissions, younger than this index, finds the rows of a key.
--
-- Processes of earlier versions run the same statements over the indexes that remain.
-- tributary: no transaction
DROP INDEX CONCURRENTLY IF EXISTS commissions_by_sale;
DROP INDEX CONCURRENTLY IF EXISTS api_key_admissions_by_key;
