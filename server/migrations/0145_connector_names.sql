-- An account may have several shops or systems that number their orders and customers from 1. All but one have a name, which becomes part of their
-- external IDs, so that order 1001 of one is not taken for order 1001 of another. Names stay when a connector is removed and added again.
--
-- Only adds: the version before allows one connector of such a system, and writes no name.

ALTER TABLE connectors ADD COLUMN name text;
