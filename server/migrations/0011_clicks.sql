-- Every visit through an affiliate's link, month by month, so that old ones are dropped a table at a time. An address is kept
-- only as a keyed hash: enough to tell that two visits came from one place, too little to find the place.

CREATE SEQUENCE clicks_id_seq;

CREATE TABLE clicks (
  account_id bigint NOT NULL,
  id bigint NOT NULL DEFAULT nextval('clicks_id_seq'),
  campaign_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  -- Ties the visits of one browser together, where the merchant's pages run the tracker.
  visitor_id text CHECK (length(visitor_id) <= 64),
  address_hash bytea,
  is_bot boolean NOT NULL,
  user_agent text CHECK (length(user_agent) <= 512),
  landing_url text CHECK (length(landing_url) <= 2048),
  referrer text CHECK (length(referrer) <= 2048),
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, id, created_at)
) PARTITION BY RANGE (created_at);
ALTER SEQUENCE clicks_id_seq OWNED BY clicks.id;
CREATE INDEX clicks_by_visitor ON clicks (account_id, visitor_id) WHERE visitor_id IS NOT NULL;
CREATE INDEX clicks_by_affiliate ON clicks (account_id, affiliate_id, created_at);
-- Catches a click whose month was not prepared: it may be filed oddly, but it is never lost.
CREATE TABLE clicks_unfiled PARTITION OF clicks DEFAULT;

-- The service owns no tables, so it asks for months by these two, which can do nothing else.
CREATE FUNCTION prepare_click_months() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  month date;
BEGIN
  -- Two processes that did this at once would deadlock, or find the table made or gone under their hands.
  PERFORM pg_advisory_xact_lock(hashtextextended('months of clicks', 0));
  FOR month IN SELECT generate_series(date_trunc('month', now() AT TIME ZONE 'UTC'),
                                      date_trunc('month', now() AT TIME ZONE 'UTC') + interval '2 months', interval '1 month')
  LOOP
    CONTINUE WHEN to_regclass(format('clicks_%s', to_char(month, 'YYYY_MM'))) IS NOT NULL;
    -- A month that already has unfiled clicks stays unfiled: moving them is not worth a lock on the whole table.
    CONTINUE WHEN EXISTS (SELECT 1 FROM clicks_unfiled u
                           WHERE u.created_at >= month::timestamp AT TIME ZONE 'UTC'
                             AND u.created_at < (month + interval '1 month') AT TIME ZONE 'UTC');
    EXECUTE format('CREATE TABLE %I PARTITION OF clicks FOR VALUES FROM (%L) TO (%L)', format('clicks_%s', to_char(month, 'YYYY_MM')),
                   month::timestamp AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
  END LOOP;
END $$;

CREATE FUNCTION drop_click_months(retention_days integer) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  old regclass;
BEGIN
  -- Two processes that did this at once would deadlock, or find the table made or gone under their hands.
  PERFORM pg_advisory_xact_lock(hashtextextended('months of clicks', 0));
  FOR old IN
    SELECT inhrelid::regclass FROM pg_inherits
     WHERE inhparent = 'clicks'::regclass AND inhrelid <> 'clicks_unfiled'::regclass
       -- clicks_2026_01 ends where February begins.
       AND (to_date(right(inhrelid::regclass::text, 7), 'YYYY_MM') + interval '1 month') AT TIME ZONE 'UTC'
           <= now() - make_interval(days => retention_days)
  LOOP
    EXECUTE format('DROP TABLE %s', old);
  END LOOP;
  DELETE FROM clicks_unfiled WHERE created_at <= now() - make_interval(days => retention_days);
END $$;
