-- tributary: no transaction
-- The figures of a page of affiliates, or of one: by day alone, fifty rows would read the days of every affiliate.
CREATE INDEX CONCURRENTLY insight_visits_by_affiliate ON insight_visits (account_id, affiliate_id, day);
CREATE INDEX CONCURRENTLY insight_earnings_by_affiliate ON insight_earnings (account_id, affiliate_id, day);
