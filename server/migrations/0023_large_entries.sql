-- Before an entry is written, the large ones of its account are added up, so that no total leaves what a JSON integer can hold. This
-- index holds those alone, with their amounts: most accounts have none, and then the look costs next to nothing.
-- tributary: no transaction

CREATE INDEX CONCURRENTLY commissions_large ON commissions (account_id) INCLUDE (payout_amount_minor)
  WHERE entry_type <> 'payout' AND abs(payout_amount_minor) >= 10000000000;
