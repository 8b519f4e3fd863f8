-- A person may credit a referral to another affiliate, in the same or another campaign. What its sales earned is then taken back and earned
-- anew, so a sale has entries of several assignments, of which the last one counts: `sales.assignment` is its number, and every entry
-- has the number that its sale had when it was written. Sales that stay as they are, because they are in a payout, keep theirs.
--
-- `past_assignments` has who a referral was credited to before: those entries keep their campaign and affiliate.
--
-- Only adds: everything that was written, and all that the version before writes, has the number 0.

ALTER TABLE sales ADD COLUMN assignment integer NOT NULL DEFAULT 0;
ALTER TABLE commissions ADD COLUMN assignment integer NOT NULL DEFAULT 0;

CREATE TABLE past_assignments (
  account_id bigint NOT NULL,
  referral_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  campaign_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  ended_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, referral_id, id),
  FOREIGN KEY (account_id, referral_id) REFERENCES referrals,
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns,
  FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates
);
