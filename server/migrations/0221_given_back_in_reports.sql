-- Reports count what was given back of a void commission, as one commission in however many parts: its first part that is not void. If that
-- becomes void, a later one is the first, so the days of the later ones are marked too.
-- Processes of an earlier version would compute marked days by the earlier definition: they must have stopped.
-- tributary: not beside processes older than 0221

CREATE OR REPLACE FUNCTION insight_mark_moment() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_TABLE_NAME IN ('refunds', 'referrals') THEN
    INSERT INTO insight_marks (account_id, at, with_visits) VALUES (NEW.account_id, NEW.occurred_at, TG_TABLE_NAME = 'referrals');
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO insight_marks (account_id, at, with_visits) VALUES (OLD.account_id, OLD.created_at, TG_TABLE_NAME = 'tracked_leads');
    IF TG_TABLE_NAME = 'commissions' THEN
      INSERT INTO insight_marks (account_id, at, with_visits)
      SELECT c.account_id, c.created_at, false FROM commissions c
       WHERE OLD.entry_type = 'adjustment' AND OLD.clawback_of IS NULL
         AND c.account_id = OLD.account_id AND c.referral_id = OLD.referral_id AND c.sale_id = OLD.sale_id AND c.id > OLD.id
         AND c.entry_type = 'adjustment' AND c.clawback_of IS NULL AND c.status <> 'void'
         AND c.created_at < clock_timestamp() - interval '1 hour';
    END IF;
  ELSE
    INSERT INTO insight_marks (account_id, at, with_visits) VALUES (NEW.account_id, NEW.created_at, false);
  END IF;
  RETURN NULL;
END $$;
