-- The roster: one affiliate per email in an account, enrolled in as many campaigns as its merchant likes.

CREATE TABLE affiliates (
  account_id bigint NOT NULL REFERENCES accounts,
  id bigint GENERATED ALWAYS AS IDENTITY,
  email text NOT NULL,
  -- Folded to one case by the program, so that uniqueness does not hang on the database's locale.
  email_key text NOT NULL,
  name text,
  status text NOT NULL CHECK (status IN ('pending', 'approved', 'rejected')),
  kind text NOT NULL CHECK (kind IN ('affiliate', 'customer')),
  token text NOT NULL CHECK (token ~ '^[A-Za-z0-9_-]{3,64}$'),
  coupon_code text,
  -- Customers type codes in any case, so two codes that differ only in case are one.
  coupon_code_key text,
  paypal_email text,
  tags text[] NOT NULL DEFAULT '{}',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id),
  CONSTRAINT affiliates_email_taken UNIQUE (account_id, email_key),
  CONSTRAINT affiliates_token_taken UNIQUE (account_id, token),
  CONSTRAINT affiliates_coupon_code_taken UNIQUE (account_id, coupon_code_key),
  CHECK ((coupon_code IS NULL) = (coupon_code_key IS NULL))
);
CREATE INDEX affiliates_by_status ON affiliates (account_id, status, id);
CREATE INDEX affiliates_by_kind ON affiliates (account_id, kind, id);
CREATE INDEX affiliates_by_tag ON affiliates USING gin (tags);

CREATE TABLE enrolments (
  account_id bigint NOT NULL,
  -- The order of enrolment: the first one is where a link without a campaign leads.
  id bigint GENERATED ALWAYS AS IDENTITY,
  affiliate_id bigint NOT NULL,
  campaign_id bigint NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, affiliate_id, campaign_id),
  FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates,
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns
);
CREATE INDEX enrolments_by_campaign ON enrolments (account_id, campaign_id, affiliate_id);
