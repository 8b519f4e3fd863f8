-- An adjustment that was sent again after a lost response was paid twice. The dashboard names each one now. Older entries, and those of
-- other kinds, have no name.
ALTER TABLE commissions ADD COLUMN request_id text;
