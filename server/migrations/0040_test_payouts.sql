-- Test payouts: a new user plays test conversions through to a payout before any money is involved. They are kept apart from payouts,
-- which rails, balances, statements and events are made from, so that none of those can ever pick one up by mistake.

CREATE TABLE test_payouts (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  campaign_id bigint NOT NULL,
  currency text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns
);

-- The primary key admits a commission to one test payout. The commission itself stays as it is.
CREATE TABLE test_payout_entries (
  account_id bigint NOT NULL,
  commission_id bigint NOT NULL,
  test_payout_id bigint NOT NULL,
  PRIMARY KEY (account_id, commission_id),
  FOREIGN KEY (account_id, commission_id) REFERENCES commissions,
  FOREIGN KEY (account_id, test_payout_id) REFERENCES test_payouts
);
CREATE INDEX test_payout_entries_by_payout ON test_payout_entries (account_id, test_payout_id);
