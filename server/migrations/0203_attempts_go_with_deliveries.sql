-- The foreign key looked up and locked the delivery of each attempt, a tenth of what recording and claiming cost PostgreSQL. A worker
-- records attempts of deliveries that it has claimed, and those are deleted 90 days later at the earliest, so that only the deletion of
-- their attempts is left to ensure.
-- tributary: locks deliveries, delivery_attempts: a constraint is dropped and a trigger added, which reads nothing

ALTER TABLE delivery_attempts DROP CONSTRAINT delivery_attempts_account_id_delivery_id_fkey;

CREATE FUNCTION delete_attempts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM delivery_attempts a USING removed r WHERE a.account_id = r.account_id AND a.delivery_id = r.id;
  RETURN NULL;
END $$;

CREATE TRIGGER deliveries_removed AFTER DELETE ON deliveries REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION delete_attempts();
