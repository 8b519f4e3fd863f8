-- A digest that is turned off keeps its row: turned on again, it still knows which period was sent last, whatever the time zone is by then. A
-- process of an earlier version doesn't read the column, and would send a digest that was turned off beside it.
ALTER TABLE digests ADD COLUMN is_on boolean NOT NULL DEFAULT true;

-- Members who left a team without wanting its digest: if they come back, they don't get it.
CREATE TABLE digest_refusals (
  account_id bigint NOT NULL REFERENCES accounts,
  user_id bigint NOT NULL REFERENCES users,
  PRIMARY KEY (account_id, user_id)
);
