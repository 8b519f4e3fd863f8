-- Working with one affiliate: internal notes, a read-only view of their portal for the team, and emails that are answered to the
-- person who wrote them. A view is not a portal session: processes of the previous version treat every session as the affiliate's
-- own, which may change things, so views have their own table.

CREATE TABLE affiliate_notes (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  affiliate_id bigint NOT NULL,
  user_id bigint NOT NULL REFERENCES users,
  text text NOT NULL CHECK (length(text) BETWEEN 1 AND 5000),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates
);
CREATE INDEX affiliate_notes_by_affiliate ON affiliate_notes (account_id, affiliate_id, id);

-- Only digests are kept. The link works once: it is replaced by a session, which has another token.
CREATE TABLE portal_views (
  account_id bigint NOT NULL,
  link_hash bytea NOT NULL,
  session_hash bytea,
  affiliate_id bigint NOT NULL,
  user_id bigint NOT NULL REFERENCES users,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, link_hash),
  FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates,
  CONSTRAINT portal_views_one_per_session UNIQUE (account_id, session_hash)
);
CREATE INDEX portal_views_by_expiry ON portal_views (expires_at);

-- Null for emails that the program writes.
ALTER TABLE mails ADD COLUMN reply_to text;
