-- Everything belongs to an account (a company with its programme), so account_id leads the keys of every table:
-- a statement that forgets it cannot use an index, and the schema shards on it as it is.

CREATE TABLE accounts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  slug text NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' AND length(slug) <= 64),
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

-- A person may work for several accounts, so people stand apart from them.
CREATE TABLE users (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  email text NOT NULL,
  -- The address folded to one case by the program, so that uniqueness does not hang on the database's locale.
  email_key text NOT NULL UNIQUE,
  password_hash text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE memberships (
  account_id bigint NOT NULL REFERENCES accounts,
  user_id bigint NOT NULL REFERENCES users,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'finance', 'viewer')),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, user_id)
);
CREATE INDEX memberships_by_user ON memberships (user_id);

CREATE TABLE api_keys (
  account_id bigint NOT NULL REFERENCES accounts,
  id bigint GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  -- Only a digest is kept: the key has 190 bits of entropy, so a fast hash is enough and a leaked table opens nothing.
  key_hash bytea NOT NULL UNIQUE,
  last_four text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  PRIMARY KEY (account_id, id)
);

-- A value only the right secret key can make, so that a process started with another key stops at once
-- instead of writing secrets that nobody else can read.
CREATE TABLE installation (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  secret_key_check bytea NOT NULL
);
