-- What a campaign asks of people who join it: up to ten questions, whose answers help to decide about the application, and terms to
-- accept. Someone may be asked later which terms they accepted and when, so every version of the terms is kept. An answer is kept with the
-- question as it was asked: the questions may change after it.
--
-- Only adds: the version before asks nothing and stores no answers.

CREATE TABLE join_forms (
  account_id bigint NOT NULL REFERENCES accounts,
  campaign_id bigint NOT NULL,
  -- Counts the changes: answers to a form that has changed meanwhile are refused.
  version integer NOT NULL,
  questions jsonb NOT NULL CHECK (jsonb_typeof(questions) = 'array' AND jsonb_array_length(questions) <= 10),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, campaign_id),
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns
);

CREATE TABLE campaign_terms (
  account_id bigint NOT NULL REFERENCES accounts,
  campaign_id bigint NOT NULL,
  version integer NOT NULL,
  -- Neither text nor URL: the terms were removed.
  text text CHECK (length(text) BETWEEN 1 AND 20000),
  url text CHECK (length(url) BETWEEN 1 AND 2048),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, campaign_id, version),
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns,
  CHECK (text IS NULL OR url IS NULL)
);

CREATE TABLE join_answers (
  account_id bigint NOT NULL REFERENCES accounts,
  affiliate_id bigint NOT NULL,
  campaign_id bigint NOT NULL,
  position integer NOT NULL CHECK (position BETWEEN 1 AND 10),
  kind text NOT NULL CHECK (kind IN ('text', 'url', 'choice')),
  question text NOT NULL,
  answer text NOT NULL CHECK (length(answer) <= 500),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, affiliate_id, campaign_id, position),
  FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates,
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns
);

CREATE TABLE terms_acceptances (
  account_id bigint NOT NULL REFERENCES accounts,
  affiliate_id bigint NOT NULL,
  campaign_id bigint NOT NULL,
  version integer NOT NULL,
  accepted_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, affiliate_id, campaign_id, version),
  FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates,
  FOREIGN KEY (account_id, campaign_id, version) REFERENCES campaign_terms
);

-- The answers of someone, and the terms shown to someone, whose address is not confirmed yet.
ALTER TABLE portal_joins
  ADD COLUMN answers jsonb,
  ADD COLUMN terms_version integer;
