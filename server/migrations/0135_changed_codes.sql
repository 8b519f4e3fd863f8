-- A discount may get another code at its provider. The newest code counts, in whatever order the events arrive, so each is stored with the time
-- of its event. Null for what is stored once and for codes of before: any event is newer.
ALTER TABLE connector_links ADD COLUMN occurred_at timestamptz(3);
