-- The order in which a company shows its creatives. Those that were never ordered have 0, as new ones have, and come first, the newest on top.
--
-- Only adds: the version before shows the newest first, whatever the order.

ALTER TABLE creatives ADD COLUMN position integer NOT NULL DEFAULT 0;
