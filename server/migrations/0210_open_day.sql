-- tributary: locks insight_accounts, insight_marks: one row per account, and marks last for seconds
-- The day that is still open was read from its rows by every question, which took up to half of its time. It is rolled up in part now, up to
-- an hour ago: what is older leaves a mark when it changes, as for closed days.

-- Up to which moment of the first day after closed_until the stored facts count, and whether what they count has changed since.
ALTER TABLE insight_accounts ADD COLUMN open_until timestamptz(3);
ALTER TABLE insight_accounts ADD COLUMN open_has_changed boolean NOT NULL DEFAULT false;

-- As triggers, because the version before closes days and takes marks too, and knows nothing of the part.
CREATE FUNCTION insight_open_day_ends() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  NEW.open_until := NULL;
  RETURN NEW;
END $$;
CREATE TRIGGER insight_days_closed BEFORE UPDATE OF closed_until ON insight_accounts FOR EACH ROW EXECUTE FUNCTION insight_open_day_ends();

-- A mark of a referral is of every day that anything of it happened on. No day, in any time zone, begins more than 26 hours before a moment
-- of it.
CREATE FUNCTION insight_open_day_changes() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE insight_accounts s SET open_has_changed = true
   WHERE s.open_until IS NOT NULL AND NOT s.open_has_changed
     AND EXISTS (
       SELECT 1 FROM removed r CROSS JOIN LATERAL (SELECT s.open_until - interval '26 hours' AS at) since
        WHERE r.account_id = s.account_id
          AND (r.at > since.at
               OR EXISTS (SELECT 1 FROM referrals f WHERE f.account_id = r.account_id AND f.id = r.referral_id AND f.occurred_at > since.at)
               OR EXISTS (SELECT 1 FROM sales e WHERE e.account_id = r.account_id AND e.referral_id = r.referral_id AND e.occurred_at > since.at)
               OR EXISTS (SELECT 1 FROM commissions c
                           WHERE c.account_id = r.account_id AND c.referral_id = r.referral_id AND c.created_at > since.at)
               OR EXISTS (SELECT 1 FROM sales e JOIN refunds u ON u.account_id = e.account_id AND u.sale_id = e.id
                           WHERE e.account_id = r.account_id AND e.referral_id = r.referral_id AND u.occurred_at > since.at)));
  RETURN NULL;
END $$;
CREATE TRIGGER insight_marks_removed AFTER DELETE ON insight_marks REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION insight_open_day_changes();
