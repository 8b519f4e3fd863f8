-- Validates the constraint of 0212: apart from it, the table is read under a lock that lets others read and write.
-- tributary: no transaction

ALTER TABLE commissions VALIDATE CONSTRAINT commissions_clawback_names_entry;
