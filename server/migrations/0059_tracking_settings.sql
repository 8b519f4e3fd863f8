-- Where the tracker may run besides the campaigns' own sites, such as staging and localhost, and whether its cookies are shared by a
-- site's subdomains, so that a visitor who clicked a link to www is still known at app.

CREATE TABLE tracking_settings (
  account_id bigint PRIMARY KEY REFERENCES accounts,
  -- Scheme and host, without a port: https://staging.example.com
  sites text[] NOT NULL DEFAULT '{}' CHECK (cardinality(sites) <= 50),
  shares_subdomains boolean NOT NULL DEFAULT false
);
