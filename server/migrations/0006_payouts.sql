-- A payout is a batch with one item for each affiliate. Its content is fixed when it is made: only statuses move.

CREATE TABLE payouts (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  campaign_id bigint NOT NULL,
  rail text NOT NULL CHECK (rail IN ('manual', 'paypal')),
  status text NOT NULL CHECK (status IN ('pending', 'processing', 'paid', 'partially_paid', 'failed', 'canceled')),
  currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  total_minor bigint NOT NULL CHECK (total_minor BETWEEN 1 AND 9007199254740991),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id),
  -- Lets an item carry its batch's currency by reference: one currency per batch.
  CONSTRAINT payouts_currency_of_items UNIQUE (account_id, id, currency),
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns
);
CREATE INDEX payouts_by_campaign ON payouts (account_id, campaign_id, id);
CREATE INDEX payouts_by_status ON payouts (account_id, status, id);

CREATE TABLE payout_items (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  payout_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  amount_minor bigint NOT NULL CHECK (amount_minor BETWEEN 1 AND 9007199254740991),
  currency text NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'processing', 'paid', 'failed', 'canceled')),
  PRIMARY KEY (account_id, id),
  CONSTRAINT payout_items_one_per_affiliate UNIQUE (account_id, payout_id, affiliate_id),
  FOREIGN KEY (account_id, payout_id, currency) REFERENCES payouts (account_id, id, currency),
  FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates
);
