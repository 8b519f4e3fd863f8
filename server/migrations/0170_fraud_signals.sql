-- Signs of fraud, found by the background work from what is stored anyway, each with its evidence. They change no money: a person decides.

-- One row per affiliate and kind. A decision stays until the evidence has doubled, which `weight` measures, or is about another campaign.
CREATE TABLE signals (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  affiliate_id bigint NOT NULL,
  kind text NOT NULL CHECK (kind IN ('click_velocity', 'conversion_rate', 'shared_network', 'shared_payout_address', 'disposable_email',
                                     'paid_search', 'instant_sales')),
  -- The campaign that it is about; null if it is about all of them.
  campaign_id bigint,
  score smallint NOT NULL CHECK (score BETWEEN 1 AND 100),
  evidence jsonb NOT NULL,
  weight integer NOT NULL CHECK (weight > 0),
  status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'decided', 'closed')),
  decision text CHECK (decision IN ('hold', 'reject', 'block', 'dismiss')),
  reason text,
  decided_weight integer,
  opened_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  decided_at timestamptz(3),
  PRIMARY KEY (account_id, id),
  CONSTRAINT signals_one_per_kind UNIQUE (account_id, affiliate_id, kind),
  FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates,
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns,
  CHECK ((status = 'decided') = (decision IS NOT NULL)),
  CHECK ((decision IS NULL) = (decided_at IS NULL) AND (decision IS NULL) = (decided_weight IS NULL))
);
CREATE INDEX signals_by_score ON signals (account_id, status, score, id);

-- When a search of an account for signals last began.
CREATE TABLE signal_checks (
  account_id bigint PRIMARY KEY REFERENCES accounts,
  checked_at timestamptz(3) NOT NULL
);

-- Whether every new referral of the affiliate needs a review, as a campaign's `review_referrals`.
ALTER TABLE affiliates ADD COLUMN review_referrals boolean NOT NULL DEFAULT false;

-- Whether the campaign's terms forbid ads in search engines.
ALTER TABLE campaigns ADD COLUMN forbids_paid_search boolean NOT NULL DEFAULT false;
