-- A question about a month took longer than one about a year: it read three rows of totals for each affiliate at four Sundays, and every
-- row of the days around them. So an affiliate's clicks are in one row with their money, and the last weeks have a total for every day. The
-- background work fills both; until then, questions are answered from the days. Processes of an earlier version would read totals that
-- nothing keeps: they must have stopped.
-- tributary: not beside processes older than 0191
-- tributary: locks insight_accounts: one row per account

-- The days that have totals.
CREATE TABLE insight_total_days (
  account_id bigint NOT NULL,
  until date NOT NULL,
  PRIMARY KEY (account_id, until)
);

-- Everything until a day, included. What has no currency, clicks, leads and conversions, is in any row of its affiliate and campaign:
-- mostly the only one. So only the sum of all of them is meant to be used. The currency comes last, because columns behind one of variable
-- length are slower to read. Room for updates in place: a day of the past that changes is in every total since.
CREATE TABLE insight_totals (
  account_id bigint NOT NULL,
  until date NOT NULL,
  affiliate_id bigint NOT NULL,
  campaign_id bigint NOT NULL,
  clicks bigint NOT NULL DEFAULT 0,
  unique_clicks bigint NOT NULL DEFAULT 0,
  leads bigint NOT NULL DEFAULT 0,
  conversions bigint NOT NULL DEFAULT 0,
  customers bigint NOT NULL DEFAULT 0,
  sales bigint NOT NULL DEFAULT 0,
  revenue_minor bigint NOT NULL DEFAULT 0,
  refunds bigint NOT NULL DEFAULT 0,
  refunded_minor bigint NOT NULL DEFAULT 0,
  commissions bigint NOT NULL DEFAULT 0,
  commissions_minor bigint NOT NULL DEFAULT 0,
  currency text NOT NULL,
  PRIMARY KEY (account_id, until, affiliate_id, campaign_id, currency)
) WITH (fillfactor = 90);

CREATE OR REPLACE FUNCTION insight_visits_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
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
    INSERT INTO insight_totals AS t (account_id, until, affiliate_id, campaign_id, clicks, unique_clicks, leads, currency)
    SELECT c.account_id, d.until, c.affiliate_id, c.campaign_id, sum(c.sign * c.clicks), sum(c.sign * c.unique_clicks),
           sum(c.sign * c.leads), 'XXX'
      FROM (%s) c JOIN insight_total_days d ON d.account_id = c.account_id AND d.until >= c.day
     GROUP BY 1, 2, 3, 4
    ON CONFLICT (account_id, until, affiliate_id, campaign_id, currency) DO UPDATE
      SET clicks = t.clicks + excluded.clicks, unique_clicks = t.unique_clicks + excluded.unique_clicks,
          leads = t.leads + excluded.leads$sum$, changes);
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION insight_earnings_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
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
    INSERT INTO insight_totals AS t (account_id, until, affiliate_id, campaign_id, conversions, customers, sales, revenue_minor, refunds,
                                     refunded_minor, commissions, commissions_minor, currency)
    SELECT c.account_id, d.until, c.affiliate_id, c.campaign_id, sum(c.sign * c.conversions), sum(c.sign * c.customers),
           sum(c.sign * c.sales), sum(c.sign * c.revenue_minor), sum(c.sign * c.refunds), sum(c.sign * c.refunded_minor),
           sum(c.sign * c.commissions), sum(c.sign * c.commissions_minor), c.currency
      FROM (%s) c JOIN insight_total_days d ON d.account_id = c.account_id AND d.until >= c.day
     GROUP BY 1, 2, 3, 4, c.currency
    ON CONFLICT (account_id, until, affiliate_id, campaign_id, currency) DO UPDATE
      SET conversions = t.conversions + excluded.conversions, customers = t.customers + excluded.customers,
          sales = t.sales + excluded.sales, revenue_minor = t.revenue_minor + excluded.revenue_minor,
          refunds = t.refunds + excluded.refunds, refunded_minor = t.refunded_minor + excluded.refunded_minor,
          commissions = t.commissions + excluded.commissions,
          commissions_minor = t.commissions_minor + excluded.commissions_minor$sum$, changes);
  RETURN NULL;
END $$;

DROP TABLE insight_visit_totals;
DROP TABLE insight_earning_totals;
ALTER TABLE insight_accounts DROP COLUMN totals_until;
