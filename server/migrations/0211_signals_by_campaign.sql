-- A signal is about one campaign: a decision about another one neither hides nor ends it. Processes of earlier versions insert by the
-- constraint's name, and store at most one signal of a kind. An IPv6 line has a network of addresses, so the network is what accounts share.
-- tributary: locks signals: at most some hundreds per kind and account

ALTER TABLE signals DROP CONSTRAINT signals_one_per_kind;
ALTER TABLE signals ADD CONSTRAINT signals_one_per_kind UNIQUE NULLS NOT DISTINCT (account_id, affiliate_id, kind, campaign_id);

-- Null in rows of earlier versions: of an IPv4 address, it is the address.
ALTER TABLE affiliate_addresses ADD COLUMN network_hash bytea;
