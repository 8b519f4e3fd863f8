-- A billing system may report a payment before the invoice or Checkout that it belongs to. The sale that was made from the payment alone is
-- then replaced: taken back, and no longer the customer's first one if rules ask for that. `replaced_by` is the external ID of the other sale.
--
-- Only adds: the version before ignores it.

ALTER TABLE sales ADD COLUMN replaced_by text;
