-- Approval looks back: a conversion that was not credited only because its affiliate was pending is credited when the affiliate is
-- approved. An affiliate may have very many of them, so approving only leaves a note (look_backs) and the service credits them in the
-- background, each in its own transaction. And a sale keeps why it earned nothing where its affiliate had been rejected.

ALTER TABLE campaigns ADD COLUMN look_back boolean NOT NULL DEFAULT true;

-- `affiliate_rejected` or `referral_rejected`. Without a CHECK, which would read the whole table under its lock.
ALTER TABLE sales ADD COLUMN unearned_reason text;

-- A pending affiliate that an unattributed conversion would go to. It holds what the report said and the conversion does not keep.
CREATE TABLE pending_credits (
  account_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  conversion_id bigint NOT NULL,
  -- The explanation of that report, and which of its candidates this is: the lowest one wins.
  attribution jsonb NOT NULL,
  place integer NOT NULL,
  subscription_ref text,
  is_test boolean NOT NULL,
  -- What spoke against the referral; the customer's email address itself is never kept.
  review text[] NOT NULL,
  -- The attribution window, counted from the conversion: an approval after it credits nothing.
  credit_until timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, affiliate_id, conversion_id),
  FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates,
  FOREIGN KEY (account_id, conversion_id) REFERENCES conversions
);
CREATE INDEX pending_credits_by_conversion ON pending_credits (account_id, conversion_id);
CREATE INDEX pending_credits_by_end ON pending_credits (credit_until);

-- An approved affiliate whose conversions are yet to be credited. It goes when none is left.
CREATE TABLE look_backs (
  account_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  approved_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (account_id, affiliate_id),
  FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates
);
