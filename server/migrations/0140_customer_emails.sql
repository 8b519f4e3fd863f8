-- Teams look for a customer by a part of the email address, of which only keyed hashes were kept. An account may keep the addresses themselves,
-- until it turns this off. Off for accounts that exist: what is stored about their customers changes only if they say it should.

ALTER TABLE accounts ADD COLUMN keeps_customer_emails boolean NOT NULL DEFAULT false;

CREATE TABLE customer_emails (
  account_id bigint NOT NULL REFERENCES accounts,
  customer_ref text NOT NULL CHECK (length(customer_ref) BETWEEN 1 AND 255),
  email text NOT NULL CHECK (length(email) <= 254),
  -- Lowercased by the program, since the database's locale may vary.
  email_key text NOT NULL,
  PRIMARY KEY (account_id, customer_ref)
);
CREATE INDEX customer_emails_by_email ON customer_emails (account_id, email_key);

-- The address of a lead, until a conversion names the customer.
ALTER TABLE tracked_leads ADD COLUMN email text, ADD COLUMN email_key text;
