-- The answer to a request that carried an Idempotency-Key, committed together with what the request wrote: after a
-- crash there are both or neither. Answers are encrypted, since one may hold a webhook secret.

CREATE TABLE idempotency_keys (
  account_id bigint NOT NULL,
  api_key_id bigint NOT NULL,
  idempotency_key text NOT NULL,
  request_hash bytea NOT NULL,
  sealed_answer bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, api_key_id, idempotency_key),
  FOREIGN KEY (account_id, api_key_id) REFERENCES api_keys
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
