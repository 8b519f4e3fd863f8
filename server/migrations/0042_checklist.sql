-- The checklist of a new account stays on the overview until someone dismisses it, for the whole account. Null is an account from before,
-- whose checklist ends with its first conversion, as it did then.
--
-- Only adds: accounts that the version before creates are treated as accounts from before.

ALTER TABLE accounts ADD COLUMN checklist_dismissed boolean;
