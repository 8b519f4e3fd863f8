-- Performance by day, rolled up: a question about a year must not read every click and commission of it. Reports of recent business write
-- nothing here: the last hours are always read from the raw rows. Only a change of what is older than an hour leaves a mark, in its own
-- transaction, and the days that are marked are computed again.

-- Up to where an account's days are rolled up, and in which time zone.
CREATE TABLE insight_accounts (
  account_id bigint PRIMARY KEY REFERENCES accounts,
  time_zone text NOT NULL,
  closed_until date NOT NULL
);

-- What has changed since its day was rolled up: a moment; a referral with everything that depends on it; or both, a sale of a referral
-- at a moment, which may make the next one no longer the customer's first. Clicks, leads and sources are counted again only where they
-- may have changed: money changes for years, and clicks are dropped.
CREATE TABLE insight_marks (
  account_id bigint NOT NULL REFERENCES accounts,
  id bigint GENERATED ALWAYS AS IDENTITY,
  at timestamptz(3),
  referral_id bigint,
  with_visits boolean NOT NULL,
  PRIMARY KEY (account_id, id),
  CHECK (at IS NOT NULL OR referral_id IS NOT NULL)
);
CREATE INDEX insight_marks_by_time ON insight_marks (account_id, at);

-- Separate from what follows: clicks are dropped after their retention, and the days that counted them stay.
CREATE TABLE insight_visits (
  account_id bigint NOT NULL,
  day date NOT NULL,
  campaign_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  clicks integer NOT NULL,
  unique_clicks integer NOT NULL,
  leads integer NOT NULL,
  PRIMARY KEY (account_id, day, campaign_id, affiliate_id)
);

-- Conversions have no currency: they are in the row of XXX, the code of ISO 4217 for none.
CREATE TABLE insight_earnings (
  account_id bigint NOT NULL,
  day date NOT NULL,
  campaign_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  currency text NOT NULL,
  conversions integer NOT NULL,
  customers integer NOT NULL,
  sales integer NOT NULL,
  revenue_minor bigint NOT NULL,
  refunds integer NOT NULL,
  refunded_minor bigint NOT NULL,
  commissions integer NOT NULL,
  commissions_minor bigint NOT NULL,
  PRIMARY KEY (account_id, day, campaign_id, affiliate_id, currency)
);

-- Where visitors came from, one dimension at a time: the product of all dimensions would be as large as the clicks.
CREATE TABLE insight_sources (
  account_id bigint NOT NULL,
  day date NOT NULL,
  dimension text NOT NULL,
  campaign_id bigint NOT NULL,
  value text NOT NULL,
  clicks integer NOT NULL,
  unique_clicks integer NOT NULL,
  conversions integer NOT NULL,
  PRIMARY KEY (account_id, dimension, day, campaign_id, value)
);

-- By the owner's rights: during an upgrade the previous version writes on, and the service's role has none in new tables yet.
CREATE FUNCTION insight_mark_referral() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO insight_marks (account_id, referral_id, with_visits) VALUES (NEW.account_id, NEW.id, true);
  RETURN NULL;
END $$;

CREATE FUNCTION insight_mark_sale() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO insight_marks (account_id, at, referral_id, with_visits) VALUES (NEW.account_id, NEW.occurred_at, NEW.referral_id, false);
  IF TG_OP = 'UPDATE' AND OLD.referral_id IS NOT NULL THEN
    INSERT INTO insight_marks (account_id, at, referral_id, with_visits) VALUES (OLD.account_id, OLD.occurred_at, OLD.referral_id, false);
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION insight_mark_moment() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_TABLE_NAME IN ('refunds', 'referrals') THEN
    INSERT INTO insight_marks (account_id, at, with_visits) VALUES (NEW.account_id, NEW.occurred_at, TG_TABLE_NAME = 'referrals');
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO insight_marks (account_id, at, with_visits) VALUES (OLD.account_id, OLD.created_at, TG_TABLE_NAME = 'tracked_leads');
  ELSE
    INSERT INTO insight_marks (account_id, at, with_visits) VALUES (NEW.account_id, NEW.created_at, false);
  END IF;
  RETURN NULL;
END $$;

-- By the clock and not by the transaction's start: whoever writes without a mark has a transaction ID before the hour is over, so that
-- the end of all transactions of that time is the end of unmarked changes.
CREATE TRIGGER insight_referral_added AFTER INSERT ON referrals FOR EACH ROW
  WHEN (NEW.occurred_at < clock_timestamp() - interval '1 hour') EXECUTE FUNCTION insight_mark_moment();
CREATE TRIGGER insight_referral_changed AFTER UPDATE OF status, is_test, campaign_id, affiliate_id ON referrals FOR EACH ROW
  WHEN ((OLD.status = 'rejected') <> (NEW.status = 'rejected') OR OLD.is_test <> NEW.is_test
        OR OLD.campaign_id <> NEW.campaign_id OR OLD.affiliate_id <> NEW.affiliate_id)
  EXECUTE FUNCTION insight_mark_referral();
CREATE TRIGGER insight_sale_added AFTER INSERT ON sales FOR EACH ROW
  WHEN (NEW.referral_id IS NOT NULL AND NEW.occurred_at < clock_timestamp() - interval '1 hour') EXECUTE FUNCTION insight_mark_sale();
CREATE TRIGGER insight_sale_changed AFTER UPDATE OF referral_id ON sales FOR EACH ROW
  WHEN (OLD.referral_id IS DISTINCT FROM NEW.referral_id AND NEW.occurred_at < clock_timestamp() - interval '1 hour')
  EXECUTE FUNCTION insight_mark_sale();
CREATE TRIGGER insight_refund_added AFTER INSERT ON refunds FOR EACH ROW
  WHEN (NEW.occurred_at < clock_timestamp() - interval '1 hour') EXECUTE FUNCTION insight_mark_moment();
CREATE TRIGGER insight_refund_changed AFTER UPDATE OF reversed_at ON refunds FOR EACH ROW
  WHEN (NEW.occurred_at < clock_timestamp() - interval '1 hour') EXECUTE FUNCTION insight_mark_moment();
CREATE TRIGGER insight_commission_added AFTER INSERT ON commissions FOR EACH ROW
  WHEN (NEW.created_at < clock_timestamp() - interval '1 hour') EXECUTE FUNCTION insight_mark_moment();
CREATE TRIGGER insight_commission_changed AFTER UPDATE OF status ON commissions FOR EACH ROW
  WHEN (OLD.status <> 'void' AND NEW.status = 'void' AND OLD.created_at < clock_timestamp() - interval '1 hour')
  EXECUTE FUNCTION insight_mark_moment();
CREATE TRIGGER insight_lead_changed AFTER UPDATE OF created_at ON tracked_leads FOR EACH ROW
  WHEN (OLD.created_at < clock_timestamp() - interval '1 hour') EXECUTE FUNCTION insight_mark_moment();
