-- What a refund takes of a commission that was given back is an adjustment: it names its refund, so that a repeated report has the first
-- answer. Every row fits already; those of earlier versions name none.
ALTER TABLE commissions DROP CONSTRAINT commissions_clawback_names_entry,
  ADD CONSTRAINT commissions_clawback_names_entry CHECK (
    (entry_type IN ('clawback', 'adjustment') OR clawback_of IS NULL AND refund_id IS NULL)) NOT VALID;
