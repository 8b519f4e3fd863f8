-- Referrals, and the entries they earn. An entry is written once: its amounts, currencies and type never change,
-- and its status only moves forward. The triggers hold this against every writer, the program included.

CREATE TABLE referrals (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  campaign_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  customer_ref text NOT NULL,
  subscription_ref text,
  status text NOT NULL CHECK (status IN ('pending_review', 'approved', 'rejected')),
  is_test boolean NOT NULL DEFAULT false,
  occurred_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id),
  -- One customer is won once in a campaign, however often the conversion is reported.
  CONSTRAINT referrals_customer_known UNIQUE (account_id, campaign_id, customer_ref),
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns,
  FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates
);
CREATE INDEX referrals_by_campaign ON referrals (account_id, campaign_id, id);
CREATE INDEX referrals_by_affiliate ON referrals (account_id, affiliate_id, id);
CREATE INDEX referrals_by_status ON referrals (account_id, status, id);
CREATE INDEX referrals_by_customer ON referrals (account_id, customer_ref, id);

CREATE TABLE commissions (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  campaign_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  referral_id bigint,
  entry_type text NOT NULL CHECK (entry_type IN ('earned', 'clawback', 'adjustment', 'payout', 'credit')),
  beneficiary text NOT NULL CHECK (beneficiary IN ('affiliate', 'referrer', 'referee')),
  amount_minor bigint NOT NULL CHECK (abs(amount_minor) <= 9007199254740991),
  currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  payout_amount_minor bigint NOT NULL CHECK (abs(payout_amount_minor) <= 9007199254740991),
  payout_currency text NOT NULL CHECK (payout_currency ~ '^[A-Z]{3}$'),
  status text NOT NULL CHECK (status IN ('pending', 'approved', 'paid', 'void')),
  hold_until timestamptz(3),
  description text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns,
  FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates,
  FOREIGN KEY (account_id, referral_id) REFERENCES referrals,
  -- A small amount may convert to nothing in the payout currency, so only its sign is bound there.
  CONSTRAINT commissions_sign CHECK (
    CASE entry_type
      WHEN 'earned' THEN amount_minor > 0 AND payout_amount_minor >= 0
      WHEN 'credit' THEN amount_minor > 0 AND payout_amount_minor >= 0
      WHEN 'clawback' THEN amount_minor < 0 AND payout_amount_minor <= 0
      WHEN 'payout' THEN amount_minor < 0 AND payout_amount_minor < 0
      ELSE amount_minor <> 0
    END),
  CONSTRAINT commissions_same_currency CHECK (currency <> payout_currency OR amount_minor = payout_amount_minor)
);
CREATE INDEX commissions_by_campaign ON commissions (account_id, campaign_id, id);
CREATE INDEX commissions_by_affiliate ON commissions (account_id, affiliate_id, id);
CREATE INDEX commissions_by_referral ON commissions (account_id, referral_id, id);
CREATE INDEX commissions_by_status ON commissions (account_id, status, id);
CREATE INDEX commissions_by_entry_type ON commissions (account_id, entry_type, id);
CREATE INDEX commissions_by_beneficiary ON commissions (account_id, beneficiary, id);

CREATE FUNCTION commissions_only_move_forward() RETURNS trigger LANGUAGE plpgsql AS $$
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
  RETURN NEW;
END $$;
CREATE TRIGGER commissions_only_move_forward BEFORE UPDATE OR DELETE ON commissions
  FOR EACH ROW EXECUTE FUNCTION commissions_only_move_forward();
