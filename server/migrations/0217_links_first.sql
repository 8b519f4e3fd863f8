-- A sign-in link waited behind the emails about a payout of its account, and arrived after it had expired. Links go first, so both queues
-- need an index that finds an account's links. That of emails makes `mails_due` superfluous, with which a claim read the whole queue.
-- tributary: no transaction

CREATE INDEX CONCURRENTLY mails_queue ON mails (
  coalesce(account_id, server_account_id, 0), (kind IN ('sign_in_link', 'password_reset', 'confirm_join')), due_at, id
) WHERE status = 'pending';
CREATE INDEX CONCURRENTLY notices_of_links ON notices (account_id, id) WHERE kind IN ('sign_in_link', 'password_reset', 'confirm_join');
DROP INDEX CONCURRENTLY IF EXISTS mails_due;
