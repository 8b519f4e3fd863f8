-- tributary: locks insight_accounts: one row per account
-- Lifetime value by cohort: what the customers of a month, by their first sale, have bought since. A question about years must not read every
-- sale, so it is rolled up by month. Only adds: the version before leaves these alone; run tributary insight rebuild if it worked beside
-- this one for long.

-- By day, as a day is computed again as a whole; what it was counted as before is taken from its month.
CREATE TABLE insight_cohort_days (
  account_id bigint NOT NULL,
  day date NOT NULL,
  first_month date NOT NULL,
  campaign_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  currency text NOT NULL,
  -- Customers whose first sale of the month it has.
  buyers integer NOT NULL,
  revenue_minor bigint NOT NULL,
  refunded_minor bigint NOT NULL,
  PRIMARY KEY (account_id, day, first_month, campaign_id, affiliate_id, currency)
);

-- The sums of the days by month. Those of all affiliates are in the rows of affiliate 0.
CREATE TABLE insight_cohorts (
  account_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  first_month date NOT NULL,
  month date NOT NULL,
  campaign_id bigint NOT NULL,
  currency text NOT NULL,
  buyers bigint NOT NULL,
  revenue_minor bigint NOT NULL,
  refunded_minor bigint NOT NULL,
  PRIMARY KEY (account_id, affiliate_id, first_month, month, campaign_id, currency)
);

-- Whether the days that were closed before have been marked for it.
ALTER TABLE insight_accounts ADD COLUMN has_cohorts boolean NOT NULL DEFAULT false;
