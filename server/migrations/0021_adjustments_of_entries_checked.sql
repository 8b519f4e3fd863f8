-- Validates the constraint of 0020. Apart from it, the table is read under a lock that lets others read and write.

ALTER TABLE commissions VALIDATE CONSTRAINT commissions_clawback_names_entry;
