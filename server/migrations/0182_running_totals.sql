-- tributary: locks insight_accounts: one row per account
-- A year by affiliate must not read a row for each affiliate and day. So there are sums of all affiliates by day, and for each
-- affiliate the total of everything until the end of each week: what happened between two Sundays is one total less the other. Both are
-- kept by triggers: they equal the rolled-up days whatever replaces a day, the previous version too while it runs beside this one.

CREATE TABLE insight_visit_days (
  account_id bigint NOT NULL,
  day date NOT NULL,
  campaign_id bigint NOT NULL,
  clicks bigint NOT NULL,
  unique_clicks bigint NOT NULL,
  leads bigint NOT NULL,
  PRIMARY KEY (account_id, day, campaign_id)
);

CREATE TABLE insight_earning_days (
  account_id bigint NOT NULL,
  day date NOT NULL,
  campaign_id bigint NOT NULL,
  currency text NOT NULL,
  conversions bigint NOT NULL,
  customers bigint NOT NULL,
  sales bigint NOT NULL,
  revenue_minor bigint NOT NULL,
  refunds bigint NOT NULL,
  refunded_minor bigint NOT NULL,
  commissions bigint NOT NULL,
  commissions_minor bigint NOT NULL,
  PRIMARY KEY (account_id, day, campaign_id, currency)
);

-- Room for updates in place: a day of the past that changes is in every total since.
CREATE TABLE insight_visit_totals (
  account_id bigint NOT NULL,
  -- A Sunday, included.
  until date NOT NULL,
  affiliate_id bigint NOT NULL,
  campaign_id bigint NOT NULL,
  clicks bigint NOT NULL,
  unique_clicks bigint NOT NULL,
  leads bigint NOT NULL,
  PRIMARY KEY (account_id, until, affiliate_id, campaign_id)
) WITH (fillfactor = 90);

CREATE TABLE insight_earning_totals (
  account_id bigint NOT NULL,
  until date NOT NULL,
  affiliate_id bigint NOT NULL,
  campaign_id bigint NOT NULL,
  currency text NOT NULL,
  conversions bigint NOT NULL,
  customers bigint NOT NULL,
  sales bigint NOT NULL,
  revenue_minor bigint NOT NULL,
  refunds bigint NOT NULL,
  refunded_minor bigint NOT NULL,
  commissions bigint NOT NULL,
  commissions_minor bigint NOT NULL,
  PRIMARY KEY (account_id, until, affiliate_id, campaign_id, currency)
) WITH (fillfactor = 90);

-- The last Sunday with totals. Those before it have them too, as far back as anything is rolled up; null if none has.
ALTER TABLE insight_accounts ADD COLUMN totals_until date;

-- By the owner's rights, as the marks. What a statement added counts, and what it removed counts against it.
CREATE FUNCTION insight_visits_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  changes text := CASE TG_OP
    WHEN 'INSERT' THEN 'SELECT 1 AS sign, a.* FROM added a'
    WHEN 'DELETE' THEN 'SELECT -1 AS sign, r.* FROM removed r'
    ELSE 'SELECT 1 AS sign, a.* FROM added a UNION ALL SELECT -1, r.* FROM removed r' END;
BEGIN
  EXECUTE format($sum$
    INSERT INTO insight_visit_days AS t (account_id, day, campaign_id, clicks, unique_clicks, leads)
    SELECT c.account_id, c.day, c.campaign_id, sum(c.sign * c.clicks), sum(c.sign * c.unique_clicks), sum(c.sign * c.leads)
      FROM (%s) c GROUP BY 1, 2, 3
    ON CONFLICT (account_id, day, campaign_id) DO UPDATE
      SET clicks = t.clicks + excluded.clicks, unique_clicks = t.unique_clicks + excluded.unique_clicks,
          leads = t.leads + excluded.leads$sum$, changes);
  EXECUTE format($sum$
    INSERT INTO insight_visit_totals AS t (account_id, until, affiliate_id, campaign_id, clicks, unique_clicks, leads)
    SELECT c.account_id, w.sunday + 7 * later.weeks, c.affiliate_id, c.campaign_id, sum(c.sign * c.clicks),
           sum(c.sign * c.unique_clicks), sum(c.sign * c.leads)
      FROM (%s) c
     CROSS JOIN LATERAL (SELECT c.day + 7 - extract(isodow FROM c.day)::integer AS sunday) w
      JOIN insight_accounts s ON s.account_id = c.account_id AND s.totals_until >= w.sunday
     CROSS JOIN LATERAL generate_series(0, (s.totals_until - w.sunday) / 7) AS later (weeks)
     GROUP BY 1, 2, 3, 4
    ON CONFLICT (account_id, until, affiliate_id, campaign_id) DO UPDATE
      SET clicks = t.clicks + excluded.clicks, unique_clicks = t.unique_clicks + excluded.unique_clicks,
          leads = t.leads + excluded.leads$sum$, changes);
  RETURN NULL;
END $$;

CREATE FUNCTION insight_earnings_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  changes text := CASE TG_OP
    WHEN 'INSERT' THEN 'SELECT 1 AS sign, a.* FROM added a'
    WHEN 'DELETE' THEN 'SELECT -1 AS sign, r.* FROM removed r'
    ELSE 'SELECT 1 AS sign, a.* FROM added a UNION ALL SELECT -1, r.* FROM removed r' END;
BEGIN
  EXECUTE format($sum$
    INSERT INTO insight_earning_days AS t (account_id, day, campaign_id, currency, conversions, customers, sales, revenue_minor, refunds,
                                           refunded_minor, commissions, commissions_minor)
    SELECT c.account_id, c.day, c.campaign_id, c.currency, sum(c.sign * c.conversions), sum(c.sign * c.customers), sum(c.sign * c.sales),
           sum(c.sign * c.revenue_minor), sum(c.sign * c.refunds), sum(c.sign * c.refunded_minor), sum(c.sign * c.commissions),
           sum(c.sign * c.commissions_minor)
      FROM (%s) c GROUP BY 1, 2, 3, 4
    ON CONFLICT (account_id, day, campaign_id, currency) DO UPDATE
      SET conversions = t.conversions + excluded.conversions, customers = t.customers + excluded.customers,
          sales = t.sales + excluded.sales, revenue_minor = t.revenue_minor + excluded.revenue_minor,
          refunds = t.refunds + excluded.refunds, refunded_minor = t.refunded_minor + excluded.refunded_minor,
          commissions = t.commissions + excluded.commissions,
          commissions_minor = t.commissions_minor + excluded.commissions_minor$sum$, changes);
  EXECUTE format($sum$
    INSERT INTO insight_earning_totals AS t (account_id, until, affiliate_id, campaign_id, currency, conversions, customers, sales,
                                             revenue_minor, refunds, refunded_minor, commissions, commissions_minor)
    SELECT c.account_id, w.sunday + 7 * later.weeks, c.affiliate_id, c.campaign_id, c.currency, sum(c.sign * c.conversions),
           sum(c.sign * c.customers), sum(c.sign * c.sales), sum(c.sign * c.revenue_minor), sum(c.sign * c.refunds),
           sum(c.sign * c.refunded_minor), sum(c.sign * c.commissions), sum(c.sign * c.commissions_minor)
      FROM (%s) c
     CROSS JOIN LATERAL (SELECT c.day + 7 - extract(isodow FROM c.day)::integer AS sunday) w
      JOIN insight_accounts s ON s.account_id = c.account_id AND s.totals_until >= w.sunday
     CROSS JOIN LATERAL generate_series(0, (s.totals_until - w.sunday) / 7) AS later (weeks)
     GROUP BY 1, 2, 3, 4, 5
    ON CONFLICT (account_id, until, affiliate_id, campaign_id, currency) DO UPDATE
      SET conversions = t.conversions + excluded.conversions, customers = t.customers + excluded.customers,
          sales = t.sales + excluded.sales, revenue_minor = t.revenue_minor + excluded.revenue_minor,
          refunds = t.refunds + excluded.refunds, refunded_minor = t.refunded_minor + excluded.refunded_minor,
          commissions = t.commissions + excluded.commissions,
          commissions_minor = t.commissions_minor + excluded.commissions_minor$sum$, changes);
  RETURN NULL;
END $$;

CREATE TRIGGER insight_visits_added AFTER INSERT ON insight_visits REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION insight_visits_changed();
CREATE TRIGGER insight_visits_changed AFTER UPDATE ON insight_visits REFERENCING NEW TABLE AS added OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION insight_visits_changed();
CREATE TRIGGER insight_visits_removed AFTER DELETE ON insight_visits REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION insight_visits_changed();
CREATE TRIGGER insight_earnings_added AFTER INSERT ON insight_earnings REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION insight_earnings_changed();
CREATE TRIGGER insight_earnings_changed AFTER UPDATE ON insight_earnings REFERENCING NEW TABLE AS added OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION insight_earnings_changed();
CREATE TRIGGER insight_earnings_removed AFTER DELETE ON insight_earnings REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION insight_earnings_changed();
