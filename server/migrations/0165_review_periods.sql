-- A referral that was approved may go to review later, and more than once. A balance of an earlier day showed it in review for all of its past,
-- because only the end of the last review was recorded. So the beginning of each is recorded too, by a trigger: processes of the version before
-- send referrals to review as well.
--
-- tributary: locks referrals: a trigger is added, which reads nothing
--
-- Only adds. Null is what older rows mean: in review from the beginning until `reviewed_at`.

-- When the referral was in review. The last period is open: `reviewed_at` ends it.
ALTER TABLE referrals ADD COLUMN review_periods tstzmultirange;

CREATE FUNCTION referral_review_begins() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  since tstzmultirange := tstzmultirange(tstzrange(now()::timestamptz(3), NULL));
BEGIN
  IF OLD.reviewed_at IS NOT NULL THEN
    since := since + coalesce(OLD.review_periods, '{(,)}') * tstzmultirange(tstzrange(NULL, OLD.reviewed_at));
  END IF;
  NEW.review_periods := since;
  RETURN NEW;
END $$;
CREATE TRIGGER referral_review_begins BEFORE UPDATE OF status ON referrals FOR EACH ROW
  WHEN (OLD.status <> 'pending_review' AND NEW.status = 'pending_review') EXECUTE FUNCTION referral_review_begins();
