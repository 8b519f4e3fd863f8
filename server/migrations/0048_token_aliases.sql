-- A changed token stays with its affiliate as an alias, so that links that were shared with it keep working and no other affiliate gets
-- the credit for them.
--
-- Only adds: the version before changes tokens without keeping the old one.

CREATE TABLE token_aliases (
  account_id bigint NOT NULL,
  token text NOT NULL,
  affiliate_id bigint NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, token),
  FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates
);
CREATE INDEX token_aliases_by_affiliate ON token_aliases (account_id, affiliate_id, token);
