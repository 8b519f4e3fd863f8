-- Billing connectors: an inbox for the events of Stripe and other systems, which become conversions, sales and refunds through the same use
-- cases as reports over the API. Only adds: the version before neither reads nor writes these.

-- A refund that did not happen after all: it failed, or a dispute was won. Its row stays, because commissions refer to it.
ALTER TABLE refunds ADD COLUMN reversed_at timestamptz(3);

CREATE TABLE connectors (
  account_id bigint NOT NULL REFERENCES accounts,
  id bigint GENERATED ALWAYS AS IDENTITY,
  provider text NOT NULL CHECK (length(provider) BETWEEN 1 AND 64),
  sealed_secret bytea,
  sealed_api_key bytea,
  api_url text CHECK (length(api_url) <= 2048),
  -- The campaign of customers whose evidence does not name one.
  campaign_id bigint,
  base text NOT NULL DEFAULT 'net' CHECK (base IN ('net', 'gross')),
  takes_tests boolean NOT NULL DEFAULT false,
  mapping jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  removed_at timestamptz(3),
  synced_at timestamptz(3),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns,
  CONSTRAINT connectors_secret_until_removed CHECK ((sealed_secret IS NULL) = (removed_at IS NOT NULL)),
  -- A webhook URL contains only the id.
  CONSTRAINT connectors_by_id UNIQUE (id)
);

-- The body is kept as it arrived. An event is due while `due_at` is set.
CREATE TABLE connector_events (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  connector_id bigint NOT NULL,
  provider_id text NOT NULL CHECK (length(provider_id) BETWEEN 1 AND 255),
  type text NOT NULL CHECK (length(type) BETWEEN 1 AND 255),
  occurred_at timestamptz(3) NOT NULL,
  received_at timestamptz(3) NOT NULL DEFAULT now(),
  body text NOT NULL,
  status text NOT NULL DEFAULT 'received' CHECK (status IN ('received', 'applied', 'ignored', 'waiting', 'failed')),
  reason jsonb,
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamptz(3) DEFAULT now(),
  waits_for text,
  referral_id bigint,
  sale_external_id text,
  refund_external_id text,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, connector_id) REFERENCES connectors,
  FOREIGN KEY (account_id, referral_id) REFERENCES referrals,
  CONSTRAINT connector_events_once UNIQUE (account_id, connector_id, provider_id),
  CONSTRAINT connector_events_waiting CHECK ((status = 'waiting') = (waits_for IS NOT NULL))
);
CREATE INDEX connector_events_due ON connector_events (account_id, connector_id, occurred_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX connector_events_by_connector ON connector_events (account_id, connector_id, id);
CREATE INDEX connector_events_by_wait ON connector_events (account_id, connector_id, waits_for) WHERE waits_for IS NOT NULL;
CREATE INDEX connector_events_by_sale ON connector_events (account_id, connector_id, sale_external_id) WHERE sale_external_id IS NOT NULL;

-- Which sale a payment belongs to, and which code is behind the provider's ID of it.
CREATE TABLE connector_links (
  account_id bigint NOT NULL,
  connector_id bigint NOT NULL,
  kind text NOT NULL CHECK (kind IN ('payment', 'code')),
  ref text NOT NULL,
  target text NOT NULL,
  PRIMARY KEY (account_id, connector_id, kind, ref),
  FOREIGN KEY (account_id, connector_id) REFERENCES connectors
);

-- What the provider said about a sale. Refunds are given in units of what was paid, commissions are based on the amount.
CREATE TABLE connector_sales (
  account_id bigint NOT NULL,
  connector_id bigint NOT NULL,
  external_id text NOT NULL,
  customer text NOT NULL,
  amount_minor bigint NOT NULL CHECK (amount_minor > 0),
  paid_minor bigint NOT NULL CHECK (paid_minor > 0),
  currency text NOT NULL,
  subscription text,
  products text[] NOT NULL DEFAULT '{}',
  occurred_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, connector_id, external_id),
  FOREIGN KEY (account_id, connector_id) REFERENCES connectors
);
CREATE INDEX connector_sales_by_customer ON connector_sales (account_id, connector_id, customer);

-- What the provider said about money that went back. `amount_minor` and the sale are unknown while only the reversal has arrived.
CREATE TABLE connector_refunds (
  account_id bigint NOT NULL,
  connector_id bigint NOT NULL,
  external_id text NOT NULL,
  -- `total` is what all refunds of one payment add up to.
  kind text NOT NULL CHECK (kind IN ('refund', 'dispute', 'credit', 'total')),
  sale_external_id text,
  amount_minor bigint CHECK (amount_minor > 0),
  is_reversed boolean NOT NULL DEFAULT false,
  PRIMARY KEY (account_id, connector_id, external_id),
  FOREIGN KEY (account_id, connector_id) REFERENCES connectors
);
CREATE INDEX connector_refunds_by_sale ON connector_refunds (account_id, connector_id, sale_external_id);

CREATE TABLE connector_subscriptions (
  account_id bigint NOT NULL,
  connector_id bigint NOT NULL,
  subscription text NOT NULL,
  customer text NOT NULL,
  status text NOT NULL CHECK (status IN ('trialing', 'active', 'past_due', 'paused', 'canceled')),
  occurred_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, connector_id, subscription),
  FOREIGN KEY (account_id, connector_id) REFERENCES connectors
);
