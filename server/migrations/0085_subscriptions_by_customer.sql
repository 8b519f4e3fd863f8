-- A referral's page shows the subscriptions of its customer, whichever billing system reported them.
-- tributary: no transaction
CREATE INDEX CONCURRENTLY connector_subscriptions_by_customer ON connector_subscriptions (account_id, customer);
