-- Emails that visitors left on the merchant's pages, such as at sign-up, with the click that brought them: a billing system often knows a
-- customer by nothing else. An email is kept only as a keyed hash, enough to recognise it and too little to read it.

CREATE TABLE tracked_leads (
  account_id bigint NOT NULL REFERENCES accounts,
  email_hash bytea NOT NULL,
  -- No foreign key: clicks are dropped by whole months.
  click_id bigint NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, email_hash)
);
CREATE INDEX tracked_leads_by_click ON tracked_leads (account_id, click_id);
CREATE INDEX tracked_leads_by_age ON tracked_leads (created_at);
