-- tributary: locks accounts: an installation has a handful
-- The currency that reports convert every amount to; null if amounts are listed by currency.
ALTER TABLE accounts ADD COLUMN reporting_currency text CHECK (reporting_currency ~ '^[A-Z]{3}$');
