-- What the merchant reports, and why each conversion was credited as it was. Natural keys make every report exactly-once:
-- the customer of a campaign, the external id of a sale, the external id of a refund.

ALTER TABLE campaigns ADD COLUMN review_referrals boolean NOT NULL DEFAULT false;

-- Addresses an affiliate has signed in from, hashed like those of clicks, to recognise someone who refers themselves.
CREATE TABLE affiliate_addresses (
  account_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  address_hash bytea NOT NULL,
  last_seen_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, affiliate_id, address_hash),
  FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates
);

-- A conversion without a referral was credited to nobody; a later report may bring the evidence that was missing.
CREATE TABLE conversions (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  campaign_id bigint NOT NULL,
  customer_ref text NOT NULL,
  referral_id bigint,
  -- The explanation: every candidate, the rule that kept or dropped it, the arithmetic.
  attribution jsonb NOT NULL,
  occurred_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id),
  CONSTRAINT conversions_customer_known UNIQUE (account_id, campaign_id, customer_ref),
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns,
  FOREIGN KEY (account_id, referral_id) REFERENCES referrals
);
CREATE INDEX conversions_by_referral ON conversions (account_id, referral_id);

CREATE TABLE sales (
  account_id bigint NOT NULL REFERENCES accounts,
  id bigint GENERATED ALWAYS AS IDENTITY,
  external_id text NOT NULL,
  customer_ref text NOT NULL,
  subscription_ref text,
  -- Null for a sale whose customer nobody referred: merchants report all their sales.
  referral_id bigint,
  amount_minor bigint NOT NULL CHECK (amount_minor BETWEEN 0 AND 9007199254740991),
  currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  occurred_at timestamptz(3) NOT NULL,
  -- Set while a rate of exchange is missing: the sale is kept, and its entries are made when the rate arrives.
  awaits_rate boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id),
  CONSTRAINT sales_external_id_known UNIQUE (account_id, external_id),
  FOREIGN KEY (account_id, referral_id) REFERENCES referrals
);
CREATE INDEX sales_by_referral ON sales (account_id, referral_id, occurred_at);
-- The sale that a conversion was reported with, so that reporting it again can give the first answer.
ALTER TABLE conversions ADD COLUMN sale_id bigint, ADD FOREIGN KEY (account_id, sale_id) REFERENCES sales;
CREATE INDEX sales_awaiting_rate ON sales (account_id, id) WHERE awaits_rate;

CREATE TABLE refunds (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  external_id text NOT NULL,
  sale_id bigint NOT NULL,
  amount_minor bigint NOT NULL CHECK (amount_minor BETWEEN 1 AND 9007199254740991),
  occurred_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id),
  CONSTRAINT refunds_external_id_known UNIQUE (account_id, external_id),
  FOREIGN KEY (account_id, sale_id) REFERENCES sales
);
CREATE INDEX refunds_by_sale ON refunds (account_id, sale_id);

-- The entries that a full refund voided, so that reporting it again gives the same answer.
CREATE TABLE refund_voids (
  account_id bigint NOT NULL,
  refund_id bigint NOT NULL,
  commission_id bigint NOT NULL,
  PRIMARY KEY (account_id, refund_id, commission_id),
  FOREIGN KEY (account_id, refund_id) REFERENCES refunds,
  FOREIGN KEY (account_id, commission_id) REFERENCES commissions
);

-- Rates of exchange by day, for the whole installation: how many units of `quote` one unit of `base` is.
CREATE TABLE fx_rates (
  base text NOT NULL CHECK (base ~ '^[A-Z]{3}$'),
  quote text NOT NULL CHECK (quote ~ '^[A-Z]{3}$' AND quote <> base),
  day date NOT NULL,
  rate numeric NOT NULL CHECK (rate > 0),
  source text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (base, quote, day)
);

-- Each version of a campaign's rule has one row for everybody it rewards.
ALTER TABLE commission_rules
  ADD COLUMN beneficiary text NOT NULL DEFAULT 'affiliate' CHECK (beneficiary IN ('affiliate', 'referrer', 'referee')),
  ADD COLUMN entry_type text NOT NULL DEFAULT 'earned' CHECK (entry_type IN ('earned', 'credit')),
  -- For how many months after the first sale later sales earn too: 0 is the first sale alone, null as long as the customer pays.
  ADD COLUMN recurring_months integer CHECK (recurring_months BETWEEN 0 AND 1200),
  DROP CONSTRAINT commission_rules_pkey,
  ADD PRIMARY KEY (account_id, campaign_id, version, beneficiary);

ALTER TABLE commissions
  ADD COLUMN sale_id bigint,
  ADD COLUMN rule_version integer,
  -- The entry that a clawback takes back, and the refund that caused it (none when the referral was rejected).
  ADD COLUMN clawback_of bigint,
  ADD COLUMN refund_id bigint,
  -- How the payout amount was computed: exact, with its source. All null where no exchange was needed.
  ADD COLUMN fx_rate numeric,
  ADD COLUMN fx_source text,
  ADD FOREIGN KEY (account_id, sale_id) REFERENCES sales,
  ADD FOREIGN KEY (account_id, clawback_of) REFERENCES commissions,
  ADD FOREIGN KEY (account_id, refund_id) REFERENCES refunds,
  ADD CONSTRAINT commissions_clawback_names_entry CHECK ((entry_type = 'clawback') OR (clawback_of IS NULL AND refund_id IS NULL));

-- One entry per sale, rule and beneficiary, however often and by however many requests at once the sale is reported.
CREATE UNIQUE INDEX commissions_once_per_sale ON commissions (account_id, sale_id, beneficiary)
  WHERE entry_type IN ('earned', 'credit') AND sale_id IS NOT NULL;
CREATE INDEX commissions_by_sale ON commissions (account_id, sale_id);
CREATE INDEX commissions_by_clawback ON commissions (account_id, clawback_of) WHERE clawback_of IS NOT NULL;
-- What the hold sweep looks for.
CREATE INDEX commissions_on_hold ON commissions (hold_until) WHERE status = 'pending' AND hold_until IS NOT NULL;
