-- What is wrong with a connector's API key was only printed by a sync on request and logged by the nightly one. It is kept, and shown on the
-- connector's page until a sync succeeds or another key is entered.
--
-- Only adds: the version before writes none.

ALTER TABLE connectors ADD COLUMN sync_problem text;
