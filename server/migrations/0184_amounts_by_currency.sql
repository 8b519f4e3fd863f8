-- tributary: no transaction
-- Amounts in another currency than the reporting currency are converted day by day.
CREATE INDEX CONCURRENTLY insight_earnings_by_currency ON insight_earnings (account_id, currency, day);
