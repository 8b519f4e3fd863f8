-- tributary: locks insight_sources: only the background work writes it, and waits
-- Money by source: sales, refunds and commissions by where the customer's click came from. Only adds: the version before leaves these alone.

-- Where the click came from that won a referral, copied when its day is closed: clicks are dropped, and customers buy for years. It never
-- changes. Null where the click has no value.
CREATE TABLE referral_sources (
  account_id bigint NOT NULL,
  referral_id bigint NOT NULL,
  -- The campaign and the affiliate of the click: the referral may have been credited to others since.
  campaign_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  referrer text,
  utm_source text,
  utm_medium text,
  utm_campaign text,
  sub_id text,
  landing_page text,
  device text,
  country text,
  PRIMARY KEY (account_id, referral_id)
);

-- As insight_earnings, by the values of one dimension at a time.
CREATE TABLE insight_source_earnings (
  account_id bigint NOT NULL,
  day date NOT NULL,
  dimension text NOT NULL,
  campaign_id bigint NOT NULL,
  value text NOT NULL,
  currency text NOT NULL,
  conversions integer NOT NULL,
  customers integer NOT NULL,
  sales integer NOT NULL,
  revenue_minor bigint NOT NULL,
  refunds integer NOT NULL,
  refunded_minor bigint NOT NULL,
  commissions integer NOT NULL,
  commissions_minor bigint NOT NULL,
  PRIMARY KEY (account_id, dimension, day, campaign_id, value, currency)
);

-- Conversions are counted with the money since; the version before still writes them here.
ALTER TABLE insight_sources ADD COLUMN leads integer NOT NULL DEFAULT 0;
ALTER TABLE insight_sources ALTER COLUMN conversions SET DEFAULT 0;

-- The value of a query parameter as it was meant: "+" is a space, and "%C3%A9" an é. What is no UTF-8 is left as it is. Not parallel safe:
-- an EXCEPTION block sets a savepoint, which PostgreSQL 15 and 16 refuse in a parallel query.
CREATE FUNCTION decoded_parameter(value text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE
  spaced text := replace(value, '+', ' ');
  bytes bytea := '';
  part text;
BEGIN
  IF spaced !~ '%[0-9a-fA-F]{2}' THEN
    RETURN spaced;
  END IF;
  FOR part IN SELECT m[1] FROM regexp_matches(spaced, '(%[0-9a-fA-F]{2}|[^%]+|%)', 'g') m LOOP
    bytes := bytes || CASE WHEN part ~ '^%[0-9a-fA-F]{2}$' THEN decode(substr(part, 2), 'hex') ELSE convert_to(part, 'UTF8') END;
  END LOOP;
  RETURN convert_from(bytes, 'UTF8');
EXCEPTION WHEN character_not_in_repertoire OR untranslatable_character THEN
  RETURN value;
END $$;
