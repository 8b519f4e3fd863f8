-- Apart from the migration before: the scan takes a lock that lets others write.
ALTER TABLE connector_links VALIDATE CONSTRAINT connector_links_kind_check;
