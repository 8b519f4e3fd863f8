-- tributary: locks clicks: the index of the whole is only defined, and parts are indexed up to 32 MiB
-- The clicks of a day, which is read from its rows until it is rolled up, and rolled up from them. By ranges of pages, since clicks are
-- stored in the order of time: it costs a click nothing. Months that are large already are left as they are: the coming ones have it.
CREATE INDEX clicks_by_time ON ONLY clicks USING brin (created_at) WITH (pages_per_range = 16, autosummarize = on);

DO $$
DECLARE
  part regclass;
  name text;
  most bigint := 32 * 1024 * 1024;
BEGIN
  -- The newest first, which are read most.
  FOR part IN SELECT inhrelid FROM pg_inherits WHERE inhparent = 'clicks'::regclass ORDER BY inhrelid::regclass::text DESC
  LOOP
    CONTINUE WHEN pg_relation_size(part) > most;
    most := most - pg_relation_size(part);
    name := format('%s_created_at_idx', part);
    EXECUTE format('CREATE INDEX %I ON %s USING brin (created_at) WITH (pages_per_range = 16, autosummarize = on)', name, part);
    EXECUTE format('ALTER INDEX clicks_by_time ATTACH PARTITION %I', name);
  END LOOP;
END $$;
