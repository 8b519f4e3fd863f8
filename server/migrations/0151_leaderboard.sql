-- tributary: locks portals: an account has at most one row
-- A leaderboard in the portal. Off unless the company turns it on, and without the names of those who haven't chosen to be named: who
-- promotes a company, and with what success, is theirs to tell.

-- What it ranks by; null if there is none.
ALTER TABLE portals ADD COLUMN leaderboard text CHECK (leaderboard IN ('conversions', 'commissions'));
-- Whether affiliates see the numbers of others, or only their place.
ALTER TABLE portals ADD COLUMN leaderboard_numbers boolean NOT NULL DEFAULT false;

-- Affiliates who are named. Without a nickname, by their name.
CREATE TABLE leaderboard_names (
  account_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  nickname text CHECK (length(nickname) BETWEEN 1 AND 40),
  PRIMARY KEY (account_id, affiliate_id),
  FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates
);
