-- The coupon codes of affiliates at a billing provider. A code is written here before the provider is called, with the idempotency key of the
-- call: after a crash the call is repeated under the same key, and one code exists. `code_coupon` is the provider's coupon that new codes
-- belong to; without one, none are created.
--
-- Only adds: the version before creates no codes.

ALTER TABLE connectors ADD COLUMN code_coupon text;

CREATE TABLE connector_codes (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  connector_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  code text NOT NULL,
  code_key text NOT NULL,
  coupon text,
  -- Changes when the provider rejected a call: it may store the response under the key.
  idempotency_key text NOT NULL DEFAULT gen_random_uuid()::text,
  external_id text,
  is_active boolean NOT NULL DEFAULT false,
  -- False for a code that was made at the provider: it is never changed there.
  is_ours boolean NOT NULL DEFAULT true,
  problem text,
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamptz(3) DEFAULT now(),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id),
  CONSTRAINT connector_codes_once UNIQUE (account_id, connector_id, affiliate_id, code_key),
  FOREIGN KEY (account_id, connector_id) REFERENCES connectors (account_id, id),
  FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates (account_id, id)
);
CREATE INDEX connector_codes_due ON connector_codes (due_at) WHERE due_at IS NOT NULL;
