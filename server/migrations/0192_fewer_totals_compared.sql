-- A day that is rolled up for the first time is in no total yet. The triggers compared each of its rows with every total of the account to
-- find that out, which took half of the time of writing them: totals before the first changed day are now left out first.

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
      FROM (%1$s) c JOIN insight_total_days d ON d.account_id = c.account_id AND d.until >= c.day
     WHERE d.until >= (SELECT min(o.day) FROM (%1$s) o)
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
      FROM (%1$s) c JOIN insight_total_days d ON d.account_id = c.account_id AND d.until >= c.day
     WHERE d.until >= (SELECT min(o.day) FROM (%1$s) o)
     GROUP BY 1, 2, 3, 4, c.currency
    ON CONFLICT (account_id, until, affiliate_id, campaign_id, currency) DO UPDATE
      SET conversions = t.conversions + excluded.conversions, customers = t.customers + excluded.customers,
          sales = t.sales + excluded.sales, revenue_minor = t.revenue_minor + excluded.revenue_minor,
          refunds = t.refunds + excluded.refunds, refunded_minor = t.refunded_minor + excluded.refunded_minor,
          commissions = t.commissions + excluded.commissions,
          commissions_minor = t.commissions_minor + excluded.commissions_minor$sum$, changes);
  RETURN NULL;
END $$;
