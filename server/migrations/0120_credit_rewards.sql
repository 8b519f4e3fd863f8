-- Credit rewards are granted at the billing provider, as changes of a customer's balance there. A change is written here before the provider
-- is called, with its recipient and key: after a crash the same call is repeated or found again, and one change exists.
--
-- Only adds: the version before grants nothing. Its writes are noted by the trigger, by the owner's rights.

-- Since when credit is granted through the connector; null if it isn't.
ALTER TABLE connectors ADD COLUMN credits_since timestamptz(3);

-- The credit entries whose approved amount may have changed. Not unique: a row that is there already may be read before the change commits.
CREATE TABLE credit_changes (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  commission_id bigint NOT NULL,
  PRIMARY KEY (account_id, id)
);

CREATE TABLE connector_credits (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  connector_id bigint NOT NULL,
  commission_id bigint NOT NULL,
  -- In the currency of the commission: positive is given to the customer, negative is taken back.
  amount_minor bigint NOT NULL CHECK (amount_minor <> 0),
  -- Whose balance changes by how much. Set before the call, and only cleared if the provider rejected it.
  customer text,
  balance_minor bigint,
  balance_currency text,
  -- Under which the change is found at the provider. With the number of rejections, the idempotency key of the call.
  key text NOT NULL DEFAULT gen_random_uuid()::text,
  rejections integer NOT NULL DEFAULT 0,
  external_id text,
  problem text,
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamptz(3) DEFAULT now(),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, connector_id) REFERENCES connectors (account_id, id),
  FOREIGN KEY (account_id, commission_id) REFERENCES commissions (account_id, id),
  CONSTRAINT connector_credits_recipient CHECK (num_nulls(customer, balance_minor, balance_currency) IN (0, 3)),
  CONSTRAINT connector_credits_done CHECK (external_id IS NULL OR customer IS NOT NULL AND due_at IS NULL)
);
-- One at a time: the next is calculated from what the ones before have changed.
CREATE UNIQUE INDEX connector_credits_open ON connector_credits (account_id, commission_id) WHERE external_id IS NULL;
CREATE INDEX connector_credits_due ON connector_credits (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX connector_credits_by_commission ON connector_credits (account_id, commission_id, id);
CREATE INDEX connector_credits_by_connector ON connector_credits (account_id, connector_id, id);

CREATE FUNCTION note_credit_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NEW.entry_type = 'credit' THEN
    INSERT INTO credit_changes (account_id, commission_id) VALUES (NEW.account_id, NEW.id);
  ELSIF NEW.clawback_of IS NOT NULL THEN
    INSERT INTO credit_changes (account_id, commission_id)
    SELECT c.account_id, c.id FROM commissions c
     WHERE c.account_id = NEW.account_id AND c.id = NEW.clawback_of AND c.entry_type = 'credit';
  ELSIF NEW.sale_id IS NOT NULL THEN
    -- What is given back after an entry was voided stands beside it.
    INSERT INTO credit_changes (account_id, commission_id)
    SELECT c.account_id, c.id FROM commissions c
     WHERE c.account_id = NEW.account_id AND c.sale_id = NEW.sale_id AND c.beneficiary = NEW.beneficiary
       AND c.assignment = NEW.assignment AND c.entry_type = 'credit';
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER credit_changed AFTER INSERT OR UPDATE OF status ON commissions FOR EACH ROW
  WHEN (NEW.status = 'approved' AND NEW.entry_type IN ('credit', 'clawback', 'adjustment')) EXECUTE FUNCTION note_credit_change();
