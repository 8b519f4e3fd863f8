-- The overview sums up what happened in a period, and the account's whole history had to be read for it. With a million
-- commissions, 30 days of them now take a tenth of the pages, and the same of sales and referrals. Their keys grow with time, so
-- new rows go side by side to the end of the index. Clicks need none: they are kept month by month.

CREATE INDEX referrals_by_time ON referrals (account_id, occurred_at);
CREATE INDEX sales_by_time ON sales (account_id, occurred_at);
CREATE INDEX commissions_by_time ON commissions (account_id, created_at);

-- Tests count nowhere. They are few, and finding them must not mean to look at every referral.
CREATE INDEX referrals_of_tests ON referrals (account_id, id) WHERE is_test;
