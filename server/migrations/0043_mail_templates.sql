-- An account's own text of an email to affiliates. Without a row, the text that comes with the program is sent, in its current version.
--
-- Only adds: the version before sends its own texts.

CREATE TABLE mail_templates (
  account_id bigint NOT NULL REFERENCES accounts,
  kind text NOT NULL,
  subject text NOT NULL,
  body text NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, kind)
);
