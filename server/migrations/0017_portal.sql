-- The affiliates' portal: what each account's looks like, who is signed in to it, who asked to join, and what affiliates are
-- still to be told.

CREATE TABLE portals (
  account_id bigint PRIMARY KEY REFERENCES accounts,
  -- Null where it is the name of the account.
  name text CHECK (length(name) BETWEEN 1 AND 100),
  colour text NOT NULL DEFAULT '#12755c' CHECK (colour ~ '^#[0-9a-f]{6}$'),
  domain text CHECK (domain ~ '^[a-z0-9-]+(\.[a-z0-9-]+)+$' AND length(domain) <= 253),
  terms_url text CHECK (length(terms_url) <= 2048),
  frame_origins text[] NOT NULL DEFAULT '{}',
  customers_shown text NOT NULL DEFAULT 'masked' CHECK (customers_shown IN ('masked', 'hidden', 'full')),
  silent_mails text[] NOT NULL DEFAULT '{}',
  logo bytea CHECK (length(logo) <= 262144),
  logo_type text,
  CONSTRAINT portals_domain_taken UNIQUE (domain),
  CHECK ((logo IS NULL) = (logo_type IS NULL))
);

-- Only digests are kept of what opens a door. `created_at` is when the person signed in, which a change of where money goes asks.
CREATE TABLE portal_sessions (
  account_id bigint NOT NULL,
  token_hash bytea NOT NULL,
  affiliate_id bigint NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_seen_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, token_hash),
  FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates
);
CREATE INDEX portal_sessions_by_affiliate ON portal_sessions (account_id, affiliate_id);
CREATE INDEX portal_sessions_by_expiry ON portal_sessions (expires_at);

-- Nobody is on the roster before the address is proved to be theirs.
CREATE TABLE portal_joins (
  account_id bigint NOT NULL,
  token_hash bytea NOT NULL,
  campaign_id bigint NOT NULL,
  email text NOT NULL,
  email_key text NOT NULL,
  name text,
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, token_hash),
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns
);
CREATE INDEX portal_joins_by_email ON portal_joins (account_id, email_key, created_at);
CREATE INDEX portal_joins_by_expiry ON portal_joins (expires_at);

-- What somebody is to be told, noted with its cause. The service makes the mail afterwards, and the row goes in the same moment.
CREATE TABLE notices (
  account_id bigint NOT NULL REFERENCES accounts,
  id bigint GENERATED ALWAYS AS IDENTITY,
  kind text NOT NULL,
  -- Null while it is not known who it is: somebody typed an address.
  affiliate_id bigint,
  details jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id)
);

-- Affiliates see mails from the company, not from the program.
ALTER TABLE mails ADD COLUMN from_name text;
CREATE INDEX mails_by_recipient ON mails (account_id, to_address, created_at);

ALTER TABLE audit_log DROP CONSTRAINT audit_log_actor_kind_check;
ALTER TABLE audit_log ADD CONSTRAINT audit_log_actor_kind_check CHECK (actor_kind IN ('user', 'api_key', 'command', 'affiliate'));
