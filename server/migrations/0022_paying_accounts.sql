-- A batch whose outcome is unknown must never be sent through another PayPal account: both would pay. So each submission keeps the
-- fingerprint of the account that it is sent from, written before the call and compared before every later one.
-- Rows from before have none: they count as sent by the present account only if its credentials have not changed since.
--
-- A statement or balance of an earlier day shows each entry as it stood then, so the moment of approval is recorded too. When an
-- entry was voided is recorded already, and when it was paid stands with its payout item. Older rows stay empty: what is known of
-- them is derived where it is read, since filling them in would rewrite the ledger.
--
-- Only adds: the version before lives beside it, since it names its columns in every statement.

ALTER TABLE payout_submissions
  ADD COLUMN paying_account text,
  -- A person has to put the old credentials back or decide the payments; until then nothing is sent.
  ADD COLUMN account_changed boolean NOT NULL DEFAULT false;

ALTER TABLE commissions ADD COLUMN approved_at timestamptz(3);
-- What is in review is not payable, whatever its own status: so when a review ended is recorded too.
ALTER TABLE referrals ADD COLUMN reviewed_at timestamptz(3);

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
  IF NEW.status = 'approved' AND OLD.status <> 'approved' THEN
    NEW.approved_at := now();
  END IF;
  RETURN NEW;
END $$;
