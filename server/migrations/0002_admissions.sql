-- The rate limit is a sliding log that every process shares. One call answers both questions a request asks first:
-- whose key is this, and may it go on? Asking in one round trip also means that a revoked key is dead everywhere at once.

-- Unlogged: no disk flush stands between a request and its answer. A crash of PostgreSQL empties it, which
-- forgives at most one minute of requests.
CREATE UNLOGGED TABLE api_key_admissions (
  account_id bigint NOT NULL,
  api_key_id bigint NOT NULL,
  slots integer NOT NULL CHECK (slots > 0),
  counts_until timestamptz NOT NULL
);
CREATE INDEX api_key_admissions_by_key ON api_key_admissions (account_id, api_key_id, counts_until);

-- Grants up to `wanted` requests to the key with this digest, or none when its window is full.
-- `usable_for` is how long the caller may sit on the grant: the slots count for 60 seconds after that.
-- No row at all means that there is no such key.
CREATE FUNCTION admit_requests(
  given_key_hash bytea, allowed integer, wanted integer, usable_for interval,
  OUT account_id bigint, OUT api_key_id bigint, OUT granted integer, OUT used integer, OUT frees_in_ms integer
) RETURNS SETOF record LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  owner_id bigint;
  key_id bigint;
  moment timestamptz;
  in_window integer;
  first_leaves timestamptz;
  given integer;
BEGIN
  SELECT k.account_id, k.id INTO owner_id, key_id
    FROM api_keys k WHERE k.key_hash = given_key_hash AND k.revoked_at IS NULL;
  IF NOT FOUND THEN
    RETURN;
  END IF;

  -- One admission at a time for one key. An advisory lock and not a row lock: that would write to the log of
  -- a durable table on every request. The statements below see what the holder before us committed.
  PERFORM pg_advisory_xact_lock(hashtextextended('admission', key_id));
  moment := clock_timestamp();

  -- The second condition forgets a future that a clock set back has left behind.
  DELETE FROM api_key_admissions a
   WHERE a.account_id = owner_id AND a.api_key_id = key_id
     AND (a.counts_until <= moment OR a.counts_until > moment + interval '60 seconds' + usable_for + interval '1 second');
  SELECT coalesce(sum(a.slots), 0), min(a.counts_until) INTO in_window, first_leaves
    FROM api_key_admissions a WHERE a.account_id = owner_id AND a.api_key_id = key_id;

  given := greatest(0, least(wanted, allowed - in_window));
  IF given > 0 THEN
    INSERT INTO api_key_admissions (account_id, api_key_id, slots, counts_until)
    VALUES (owner_id, key_id, given, moment + usable_for + interval '60 seconds');
    -- Once a minute is enough to tell a key in use from a forgotten one.
    UPDATE api_keys k SET last_used_at = moment
     WHERE k.account_id = owner_id AND k.id = key_id
       AND (k.last_used_at IS NULL OR k.last_used_at < moment - interval '1 minute');
  END IF;

  account_id := owner_id;
  api_key_id := key_id;
  granted := given;
  used := in_window + given;
  frees_in_ms := ceil(extract(epoch FROM coalesce(first_leaves, moment + interval '60 seconds') - moment) * 1000);
  RETURN NEXT;
END $$;
