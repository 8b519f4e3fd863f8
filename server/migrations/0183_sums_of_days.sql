-- tributary: locks insight_visits, insight_earnings, insight_visit_days, insight_earning_days: only the background work writes them, and waits
-- The sums of the days that are rolled up already. Since 0182 the triggers may have counted some of them.
LOCK TABLE insight_visits, insight_earnings IN SHARE MODE;
DELETE FROM insight_visit_days;
DELETE FROM insight_earning_days;
INSERT INTO insight_visit_days (account_id, day, campaign_id, clicks, unique_clicks, leads)
SELECT v.account_id, v.day, v.campaign_id, sum(v.clicks), sum(v.unique_clicks), sum(v.leads)
  FROM insight_visits v GROUP BY 1, 2, 3;
INSERT INTO insight_earning_days (account_id, day, campaign_id, currency, conversions, customers, sales, revenue_minor, refunds,
                                  refunded_minor, commissions, commissions_minor)
SELECT e.account_id, e.day, e.campaign_id, e.currency, sum(e.conversions), sum(e.customers), sum(e.sales), sum(e.revenue_minor),
       sum(e.refunds), sum(e.refunded_minor), sum(e.commissions), sum(e.commissions_minor)
  FROM insight_earnings e GROUP BY 1, 2, 3, 4;
