-- A sale that another one replaces was counted in performance as a sale, a refund and a commission of its own. It is not counted any more: what
-- it was counted in is computed again when it is replaced, and now for those replaced before.
--
-- tributary: locks sales: a trigger is added, which reads nothing
--
-- Only adds: the version before counts such a sale twice on days that it computes itself.

-- By the owner's rights: during an upgrade the previous version writes on, and the service's role may lack its grants.
CREATE FUNCTION insight_mark_replaced() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO insight_marks (account_id, referral_id, with_visits) VALUES (NEW.account_id, NEW.referral_id, true);
  RETURN NULL;
END $$;
CREATE TRIGGER insight_sale_replaced AFTER UPDATE OF replaced_by ON sales FOR EACH ROW
  WHEN (NEW.referral_id IS NOT NULL AND OLD.replaced_by IS DISTINCT FROM NEW.replaced_by) EXECUTE FUNCTION insight_mark_replaced();

INSERT INTO insight_marks (account_id, referral_id, with_visits)
SELECT DISTINCT s.account_id, s.referral_id, true FROM sales s WHERE s.replaced_by IS NOT NULL AND s.referral_id IS NOT NULL;
