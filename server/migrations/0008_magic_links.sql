-- Single-use sign-in links to the portal. Only a digest of the token is kept: reading this table signs nobody in.

CREATE TABLE magic_links (
  account_id bigint NOT NULL,
  token_hash bytea NOT NULL,
  affiliate_id bigint NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, token_hash),
  FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates
);
CREATE INDEX magic_links_by_expiry ON magic_links (expires_at);
