-- A payout is computed, sent and settled without a cent twice: its commissions are pinned to its items, a call to a rail is
-- written down before it is made, and what the rail says is written down before the ledger moves.

ALTER TABLE payouts
  -- What it was made with, since a campaign's minimum may change later.
  ADD COLUMN minimum_payout_minor bigint NOT NULL DEFAULT 0,
  ADD COLUMN cut_off timestamptz(3) NOT NULL DEFAULT now(),
  ADD COLUMN digest text,
  ADD COLUMN finished_at timestamptz(3);

-- One call to a rail. Rails take a limited number of items at a time, so a large payout has several.
CREATE TABLE payout_submissions (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  payout_id bigint NOT NULL,
  -- What the rail recognises a repeated call by. Never changes, so that however often we ask, it pays once.
  sender_batch_id text NOT NULL UNIQUE,
  status text NOT NULL DEFAULT 'intended' CHECK (status IN ('intended', 'accepted', 'refused', 'unclear')),
  -- Set before a call is made and cleared when the rail certainly did not take it: while it is set, it may have.
  maybe_sent_at timestamptz(3),
  external_id text,
  -- Why the last call did not succeed.
  problem text,
  attempts integer NOT NULL DEFAULT 0,
  -- When the rail is called next; null when there is nothing left to ask.
  due_at timestamptz(3) DEFAULT now(),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, payout_id) REFERENCES payouts,
  CHECK ((status = 'accepted') = (external_id IS NOT NULL))
);
CREATE INDEX payout_submissions_by_payout ON payout_submissions (account_id, payout_id);
CREATE INDEX payout_submissions_due ON payout_submissions (due_at) WHERE due_at IS NOT NULL;

ALTER TABLE payout_items
  -- Where it goes, as it stood when the payout was made. Null where a person pays it and finds the way.
  ADD COLUMN payout_address text,
  ADD COLUMN submission_id bigint,
  -- What became of it, as the rail or a person said. The status follows when the ledger has moved.
  ADD COLUMN outcome text CHECK (outcome IN ('paid', 'failed', 'canceled')),
  ADD COLUMN reason text,
  ADD COLUMN reference text,
  ADD COLUMN external_id text,
  ADD COLUMN settled_at timestamptz(3),
  ADD FOREIGN KEY (account_id, submission_id) REFERENCES payout_submissions;
UPDATE payout_items SET outcome = status WHERE status IN ('paid', 'failed', 'canceled');
ALTER TABLE payout_items ADD CHECK (status IN ('pending', 'processing') OR status = outcome);
CREATE INDEX payout_items_by_submission ON payout_items (account_id, submission_id) WHERE submission_id IS NOT NULL;
CREATE INDEX payout_items_by_affiliate ON payout_items (account_id, affiliate_id, id);
CREATE INDEX payout_items_unsettled ON payout_items (account_id, payout_id, id) WHERE status IN ('pending', 'processing');
CREATE INDEX payout_items_to_settle ON payout_items (account_id, payout_id, id)
  WHERE outcome IS NOT NULL AND status IN ('pending', 'processing');

-- Which commissions an item pays. No foreign keys: rows come out of the ledger itself, which never loses one, and checking a
-- million of them took longer than making the payout. `doctor` compares both sides.
CREATE TABLE pinned_commissions (
  account_id bigint NOT NULL,
  commission_id bigint NOT NULL,
  payout_item_id bigint NOT NULL,
  -- An item that failed or was cancelled lets go of its commissions; the row stays to tell what the item was made of.
  released boolean NOT NULL DEFAULT false
);
-- A commission is in at most one item that has not failed or been cancelled, whatever any program does.
CREATE UNIQUE INDEX pinned_commissions_once ON pinned_commissions (account_id, commission_id) WHERE NOT released;
CREATE INDEX pinned_commissions_released ON pinned_commissions (account_id, commission_id) WHERE released;

ALTER TABLE commissions
  -- The item that a payout entry stands for, or that came back (or went out after all) later.
  ADD COLUMN payout_item_id bigint,
  -- So that a balance of any day counts what was void only later.
  ADD COLUMN voided_at timestamptz(3),
  ADD FOREIGN KEY (account_id, payout_item_id) REFERENCES payout_items,
  ADD CHECK (payout_item_id IS NULL OR entry_type IN ('payout', 'adjustment'));
-- An item is paid by one entry, whatever any program does. What comes back later is booked beside it.
CREATE UNIQUE INDEX commissions_once_per_item ON commissions (account_id, payout_item_id) WHERE entry_type = 'payout';
CREATE INDEX commissions_by_payout_item ON commissions (account_id, payout_item_id) WHERE payout_item_id IS NOT NULL;
-- What is still to be paid: a small part of a ledger that has run for years.
CREATE INDEX commissions_open ON commissions (account_id, campaign_id, affiliate_id) WHERE status IN ('pending', 'approved');

ALTER TABLE commissions DISABLE TRIGGER commissions_only_move_forward;
UPDATE commissions SET voided_at = created_at WHERE status = 'void';
ALTER TABLE commissions ENABLE TRIGGER commissions_only_move_forward;
CREATE OR REPLACE FUNCTION commissions_only_move_forward() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  before commissions := OLD;
BEGIN
  IF TG_OP = 'DELETE' THEN
    RAISE EXCEPTION 'commission % cannot be deleted: the ledger only grows', OLD.id;
  END IF;
  before.status := NEW.status;
  IF before IS DISTINCT FROM NEW THEN
    RAISE EXCEPTION 'commission % cannot be changed: a correction is a new entry', OLD.id;
  END IF;
  IF OLD.status <> NEW.status
     AND (OLD.status, NEW.status) NOT IN (('pending', 'approved'), ('pending', 'void'), ('approved', 'paid')) THEN
    RAISE EXCEPTION 'commission % cannot go from % to %', OLD.id, OLD.status, NEW.status;
  END IF;
  IF NEW.status = 'void' AND OLD.status <> 'void' THEN
    NEW.voided_at := now();
  END IF;
  RETURN NEW;
END $$;

-- What an account signs in to a rail with, encrypted for that account.
CREATE TABLE rail_credentials (
  account_id bigint NOT NULL REFERENCES accounts,
  rail text NOT NULL CHECK (rail IN ('paypal')),
  sealed bytea NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, rail)
);
