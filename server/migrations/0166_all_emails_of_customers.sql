-- A customer's emails arrive in any order, and each may be the affiliate's own. Only the newest was kept, so that an earlier one that arrived late
-- was not seen. Now all are kept, as keyed hashes like the newest, up to a bound. Null where the version before has stored one: its `target`.
ALTER TABLE connector_links ADD COLUMN targets text[];
