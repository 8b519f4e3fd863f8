-- People sign in to run the programme: sessions, ways to get in without one (set-up code, invitation, reset), what they and
-- everybody else changed, and the mails that tell them.

ALTER TABLE users ADD COLUMN name text CHECK (length(name) BETWEEN 1 AND 255);

-- Only digests are kept of what opens a door: a leaked table opens none.
CREATE TABLE sessions (
  token_hash bytea PRIMARY KEY,
  user_id bigint NOT NULL REFERENCES users,
  address text,
  user_agent text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_seen_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- While there is no account, whoever reads the server's output may make the first one, and nobody else.
CREATE TABLE setup_codes (
  code_hash bytea PRIMARY KEY,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE password_resets (
  token_hash bytea PRIMARY KEY,
  user_id bigint NOT NULL REFERENCES users,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX password_resets_by_user ON password_resets (user_id);

CREATE TABLE invitations (
  account_id bigint NOT NULL REFERENCES accounts,
  id bigint GENERATED ALWAYS AS IDENTITY,
  email text NOT NULL,
  email_key text NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'finance', 'viewer')),
  token_hash bytea NOT NULL UNIQUE,
  invited_by bigint NOT NULL REFERENCES users,
  expires_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id),
  -- A second invitation of the same person replaces the first.
  CONSTRAINT invitations_one_per_email UNIQUE (account_id, email_key)
);

-- Who changed what, when and from where. It only grows.
CREATE TABLE audit_log (
  account_id bigint NOT NULL REFERENCES accounts,
  id bigint GENERATED ALWAYS AS IDENTITY,
  actor_kind text NOT NULL CHECK (actor_kind IN ('user', 'api_key', 'command')),
  actor_id bigint,
  -- As it was called then: a key or a person may be gone when somebody reads this.
  actor_name text NOT NULL,
  address text,
  action text NOT NULL,
  subject_id bigint,
  details jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id)
);
CREATE INDEX audit_log_by_action ON audit_log (account_id, action, id);

CREATE FUNCTION audit_log_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log only grows';
END $$;
CREATE TRIGGER audit_log_only_grows BEFORE UPDATE OR DELETE ON audit_log
  FOR EACH ROW EXECUTE FUNCTION audit_log_only_grows();

-- Mails are written with their cause and sent afterwards, never inside a request. Without a mail server they are kept.
CREATE TABLE mails (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Null for a mail to a person about their sign-in, which no account may read.
  account_id bigint REFERENCES accounts,
  kind text NOT NULL,
  to_address text NOT NULL,
  subject text NOT NULL,
  text_body text NOT NULL,
  html_body text NOT NULL,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'sent', 'failed', 'kept')),
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamptz(3) NOT NULL DEFAULT now(),
  problem text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  sent_at timestamptz(3)
);
CREATE INDEX mails_due ON mails (due_at) WHERE status = 'pending';
CREATE INDEX mails_by_account ON mails (account_id, id);
