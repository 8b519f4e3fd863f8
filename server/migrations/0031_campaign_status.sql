-- A campaign can be paused or archived. Its links keep redirecting, but from then on they credit no one; referrals made before it keep
-- earning, and balances stay payable.
--
-- Attribution asks whether the campaign was stopped at the moment of a click or a conversion, and not whether it is stopped now: a
-- conversion from before the pause can be reported during it, and a click made during it stays uncredited after it. So every stop is kept.
--
-- Only adds: the version before names its columns in every statement and treats every campaign as active.

ALTER TABLE campaigns ADD COLUMN status text NOT NULL DEFAULT 'active';
ALTER TABLE campaigns ADD CONSTRAINT campaigns_status_check CHECK (status IN ('active', 'paused', 'archived')) NOT VALID;

CREATE TABLE campaign_stops (
  account_id bigint NOT NULL,
  campaign_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  status text NOT NULL CHECK (status IN ('paused', 'archived')),
  -- The time of the statement, which runs under the campaign's lock: of the transaction, it could lie before the last stop's end.
  began_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  ended_at timestamptz(3),
  PRIMARY KEY (account_id, campaign_id, id),
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns
);
CREATE UNIQUE INDEX campaign_stops_open ON campaign_stops (account_id, campaign_id) WHERE ended_at IS NULL;
