-- pinned_commissions had no primary key, and with logical replication PostgreSQL refuses to update a table without one: cancelling a payout
-- failed. An item pins a commission once, so the two are the key; led by the commission, in whose order a payout writes its pins. The table
-- holds a row for every commission that was ever paid: the index is made while the service goes on, and becomes the key in the next file.
-- tributary: no transaction
CREATE UNIQUE INDEX CONCURRENTLY pinned_commissions_pkey ON pinned_commissions (account_id, commission_id, payout_item_id);
