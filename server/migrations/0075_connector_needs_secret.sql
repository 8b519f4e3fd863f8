-- Stripe and Paddle show the signing secret of a webhook only once it exists, and its URL contains the connector's ID. So the dashboard
-- adds a connector first, with a random secret that is never shown, and asks for the real one.
ALTER TABLE connectors ADD COLUMN needs_secret boolean NOT NULL DEFAULT false;
