-- An invitation to a team belongs to no account, so that the rest of the team can't read its link; but the server that sends it is that of the
-- account. No foreign key: accounts are never deleted, and adding one would scan the table.
ALTER TABLE mails ADD COLUMN server_account_id bigint;
