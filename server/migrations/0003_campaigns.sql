-- A campaign holds the terms; what a sale earns stands in rules that are added, never edited, so that an entry of
-- the ledger can always name the rule that made it.

CREATE TABLE campaigns (
  account_id bigint NOT NULL REFERENCES accounts,
  id bigint GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  slug text NOT NULL CHECK (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' AND length(slug) <= 64),
  program_type text NOT NULL CHECK (program_type IN ('affiliate', 'referral')),
  visibility text NOT NULL CHECK (visibility IN ('public', 'private')),
  payout_currency text NOT NULL CHECK (payout_currency ~ '^[A-Z]{3}$'),
  attribution_model text NOT NULL CHECK (attribution_model IN ('last_click', 'first_click')),
  attribution_window_days integer NOT NULL CHECK (attribution_window_days BETWEEN 1 AND 3650),
  hold_days integer NOT NULL CHECK (hold_days BETWEEN 0 AND 3650),
  minimum_payout_minor bigint NOT NULL CHECK (minimum_payout_minor BETWEEN 0 AND 9007199254740991),
  open_enrollment boolean NOT NULL,
  destination_url text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id),
  CONSTRAINT campaigns_slug_taken UNIQUE (account_id, slug)
);

CREATE TABLE commission_rules (
  account_id bigint NOT NULL,
  campaign_id bigint NOT NULL,
  version integer NOT NULL CHECK (version > 0),
  rate_basis_points integer CHECK (rate_basis_points BETWEEN 1 AND 10000),
  flat_minor bigint CHECK (flat_minor BETWEEN 1 AND 9007199254740991),
  flat_currency text CHECK (flat_currency ~ '^[A-Z]{3}$'),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, campaign_id, version),
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns,
  CONSTRAINT commission_rules_percent_or_flat CHECK (
    (rate_basis_points IS NOT NULL AND flat_minor IS NULL AND flat_currency IS NULL)
    OR (rate_basis_points IS NULL AND flat_minor IS NOT NULL AND flat_currency IS NOT NULL))
);
