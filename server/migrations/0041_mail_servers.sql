-- An account's own SMTP server, set up in the dashboard, so that a new installation sends emails without a restart. Host, user and
-- password are sealed; the address is not a secret and pages show it. The server in the environment comes first.
--
-- Only adds: the version before keeps emails of such accounts, as it does without an SMTP server.

CREATE TABLE mail_servers (
  account_id bigint PRIMARY KEY REFERENCES accounts,
  from_address text NOT NULL,
  sealed bytea NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
