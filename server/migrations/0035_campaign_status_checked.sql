-- Validates the constraint of 0031, without which doctor reports it: the table is read under a lock that lets others read and write.
-- tributary: no transaction

ALTER TABLE campaigns VALIDATE CONSTRAINT campaigns_status_check;
