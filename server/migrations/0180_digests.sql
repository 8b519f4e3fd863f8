-- tributary: locks accounts: an installation has a handful
-- A weekly digest for the team and a monthly one for affiliates. The row of an account and kind exists while it is turned on, and says how far the
-- latest period is sent: what is recorded with the emails can't be sent twice, whatever crashes or runs at the same time.

CREATE TABLE digests (
  account_id bigint NOT NULL REFERENCES accounts,
  kind text NOT NULL CHECK (kind IN ('team', 'affiliate')),
  -- Periods that were due before it was turned on are not sent.
  since timestamptz(3) NOT NULL DEFAULT now(),
  -- The day that the latest digest was due, in the account's time zone. Only ever later: no change of the time zone repeats one.
  due_day date,
  -- Recipients up to this id have theirs.
  after_id bigint NOT NULL DEFAULT 0,
  is_done boolean NOT NULL DEFAULT true,
  PRIMARY KEY (account_id, kind)
);

ALTER TABLE memberships ADD COLUMN wants_digest boolean NOT NULL DEFAULT true;
ALTER TABLE affiliates ADD COLUMN wants_digest boolean NOT NULL DEFAULT true;

-- Where the recipient unsubscribes, for the headers by which mail programs offer it. Erased once the email is sent.
ALTER TABLE mails ADD COLUMN unsubscribe_url text;
