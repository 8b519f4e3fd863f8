-- Who wants to hear of what. The signing secret is needed on every delivery, so it is encrypted and not hashed.

CREATE TABLE webhook_endpoints (
  account_id bigint NOT NULL REFERENCES accounts,
  id bigint GENERATED ALWAYS AS IDENTITY,
  url text NOT NULL CHECK (length(url) <= 2048),
  events text[] NOT NULL CHECK (cardinality(events) > 0),
  status text NOT NULL CHECK (status IN ('active', 'disabled')),
  sealed_secret bytea NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id)
);
