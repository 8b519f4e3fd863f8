-- One entry per sale, beneficiary and assignment. Beside commissions_once_per_sale, which allows no second assignment, it changes nothing yet.
-- tributary: no transaction
CREATE UNIQUE INDEX CONCURRENTLY commissions_once_per_assignment ON commissions (account_id, sale_id, beneficiary, assignment)
  WHERE entry_type IN ('earned', 'credit') AND sale_id IS NOT NULL;
