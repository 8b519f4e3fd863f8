-- What the migrations add up to, read back from the database. Written by `npm run schema`; do not edit.


CREATE TABLE accounts (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  slug text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  time_zone text NOT NULL DEFAULT 'UTC'::text,
  checklist_dismissed boolean,
  site_url text,
  keeps_customer_emails boolean NOT NULL DEFAULT false,
  reporting_currency text
);
ALTER TABLE accounts ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);
ALTER TABLE accounts ADD CONSTRAINT accounts_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255)));
ALTER TABLE accounts ADD CONSTRAINT accounts_reporting_currency_check CHECK ((reporting_currency ~ '^[A-Z]{3}$'::text));
ALTER TABLE accounts ADD CONSTRAINT accounts_slug_check CHECK (((slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text) AND (length(slug) <= 64)));
ALTER TABLE accounts ADD CONSTRAINT accounts_slug_key UNIQUE (slug);

CREATE TABLE affiliate_addresses (
  account_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  address_hash bytea NOT NULL,
  last_seen_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  network_hash bytea
);
ALTER TABLE affiliate_addresses ADD CONSTRAINT affiliate_addresses_pkey PRIMARY KEY (account_id, affiliate_id, address_hash);
ALTER TABLE affiliate_addresses ADD CONSTRAINT affiliate_addresses_account_id_affiliate_id_fkey FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates(account_id, id);

CREATE TABLE affiliate_notes (
  account_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  affiliate_id bigint NOT NULL,
  user_id bigint NOT NULL,
  text text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now()
);
ALTER TABLE affiliate_notes ADD CONSTRAINT affiliate_notes_pkey PRIMARY KEY (account_id, id);
ALTER TABLE affiliate_notes ADD CONSTRAINT affiliate_notes_account_id_affiliate_id_fkey FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates(account_id, id);
ALTER TABLE affiliate_notes ADD CONSTRAINT affiliate_notes_text_check CHECK (((length(text) >= 1) AND (length(text) <= 5000)));
ALTER TABLE affiliate_notes ADD CONSTRAINT affiliate_notes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);
CREATE INDEX affiliate_notes_by_affiliate ON public.affiliate_notes USING btree (account_id, affiliate_id, id);

CREATE TABLE affiliates (
  account_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  email text NOT NULL,
  email_key text NOT NULL,
  name text,
  status text NOT NULL,
  kind text NOT NULL,
  token text NOT NULL,
  coupon_code text,
  coupon_code_key text,
  paypal_email text,
  tags text[] NOT NULL DEFAULT '{}'::text[],
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  rejection_reason text,
  rejection_is_shared boolean NOT NULL DEFAULT false,
  review_referrals boolean NOT NULL DEFAULT false,
  wants_digest boolean NOT NULL DEFAULT true
);
ALTER TABLE affiliates ADD CONSTRAINT affiliates_pkey PRIMARY KEY (account_id, id);
ALTER TABLE affiliates ADD CONSTRAINT affiliates_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE affiliates ADD CONSTRAINT affiliates_check CHECK (((coupon_code IS NULL) = (coupon_code_key IS NULL)));
ALTER TABLE affiliates ADD CONSTRAINT affiliates_coupon_code_taken UNIQUE (account_id, coupon_code_key);
ALTER TABLE affiliates ADD CONSTRAINT affiliates_email_taken UNIQUE (account_id, email_key);
ALTER TABLE affiliates ADD CONSTRAINT affiliates_kind_check CHECK ((kind = ANY (ARRAY['affiliate'::text, 'customer'::text])));
ALTER TABLE affiliates ADD CONSTRAINT affiliates_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text])));
ALTER TABLE affiliates ADD CONSTRAINT affiliates_token_check CHECK ((token ~ '^[A-Za-z0-9_-]{3,64}$'::text));
ALTER TABLE affiliates ADD CONSTRAINT affiliates_token_taken UNIQUE (account_id, token);
CREATE INDEX affiliates_by_kind ON public.affiliates USING btree (account_id, kind, id);
CREATE INDEX affiliates_by_status ON public.affiliates USING btree (account_id, status, id);
CREATE INDEX affiliates_by_tag ON public.affiliates USING gin (tags);

CREATE UNLOGGED TABLE api_key_admissions (
  account_id bigint NOT NULL,
  api_key_id bigint NOT NULL,
  slots integer NOT NULL,
  counts_until timestamp with time zone NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
);
ALTER TABLE api_key_admissions ADD CONSTRAINT api_key_admissions_pkey PRIMARY KEY (account_id, api_key_id, id);
ALTER TABLE api_key_admissions ADD CONSTRAINT api_key_admissions_slots_check CHECK ((slots > 0));

CREATE TABLE api_keys (
  account_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  key_hash bytea NOT NULL,
  last_four text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  last_used_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone
);
ALTER TABLE api_keys ADD CONSTRAINT api_keys_pkey PRIMARY KEY (account_id, id);
ALTER TABLE api_keys ADD CONSTRAINT api_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE api_keys ADD CONSTRAINT api_keys_key_hash_key UNIQUE (key_hash);
ALTER TABLE api_keys ADD CONSTRAINT api_keys_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255)));

CREATE TABLE audit_log (
  account_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  actor_kind text NOT NULL,
  actor_id bigint,
  actor_name text NOT NULL,
  address text,
  action text NOT NULL,
  subject_id bigint,
  details jsonb NOT NULL DEFAULT '{}'::jsonb,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now()
);
ALTER TABLE audit_log ADD CONSTRAINT audit_log_pkey PRIMARY KEY (account_id, id);
ALTER TABLE audit_log ADD CONSTRAINT audit_log_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE audit_log ADD CONSTRAINT audit_log_actor_kind_check CHECK ((actor_kind = ANY (ARRAY['user'::text, 'api_key'::text, 'command'::text, 'affiliate'::text])));
CREATE INDEX audit_log_by_action ON public.audit_log USING btree (account_id, action, id);
CREATE INDEX audit_log_by_actor ON public.audit_log USING btree (account_id, actor_kind, id);
CREATE INDEX audit_log_by_subject ON public.audit_log USING btree (account_id, subject_id, id);
CREATE TRIGGER audit_log_only_grows BEFORE DELETE OR UPDATE ON public.audit_log FOR EACH ROW EXECUTE FUNCTION audit_log_only_grows();

CREATE TABLE campaign_stops (
  account_id bigint NOT NULL,
  campaign_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  status text NOT NULL,
  began_at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  ended_at timestamp(3) with time zone
);
ALTER TABLE campaign_stops ADD CONSTRAINT campaign_stops_pkey PRIMARY KEY (account_id, campaign_id, id);
ALTER TABLE campaign_stops ADD CONSTRAINT campaign_stops_account_id_campaign_id_fkey FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id);
ALTER TABLE campaign_stops ADD CONSTRAINT campaign_stops_status_check CHECK ((status = ANY (ARRAY['paused'::text, 'archived'::text])));
CREATE UNIQUE INDEX campaign_stops_open ON public.campaign_stops USING btree (account_id, campaign_id) WHERE (ended_at IS NULL);

CREATE TABLE campaign_terms (
  account_id bigint NOT NULL,
  campaign_id bigint NOT NULL,
  version integer NOT NULL,
  text text,
  url text,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now()
);
ALTER TABLE campaign_terms ADD CONSTRAINT campaign_terms_pkey PRIMARY KEY (account_id, campaign_id, version);
ALTER TABLE campaign_terms ADD CONSTRAINT campaign_terms_account_id_campaign_id_fkey FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id);
ALTER TABLE campaign_terms ADD CONSTRAINT campaign_terms_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE campaign_terms ADD CONSTRAINT campaign_terms_check CHECK (((text IS NULL) OR (url IS NULL)));
ALTER TABLE campaign_terms ADD CONSTRAINT campaign_terms_text_check CHECK (((length(text) >= 1) AND (length(text) <= 20000)));
ALTER TABLE campaign_terms ADD CONSTRAINT campaign_terms_url_check CHECK (((length(url) >= 1) AND (length(url) <= 2048)));

CREATE TABLE campaigns (
  account_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  slug text NOT NULL,
  program_type text NOT NULL,
  visibility text NOT NULL,
  payout_currency text NOT NULL,
  attribution_model text NOT NULL,
  attribution_window_days integer NOT NULL,
  hold_days integer NOT NULL,
  minimum_payout_minor bigint NOT NULL,
  open_enrollment boolean NOT NULL,
  destination_url text,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  review_referrals boolean NOT NULL DEFAULT false,
  look_back boolean NOT NULL DEFAULT true,
  status text NOT NULL DEFAULT 'active'::text,
  forbids_paid_search boolean NOT NULL DEFAULT false
);
ALTER TABLE campaigns ADD CONSTRAINT campaigns_pkey PRIMARY KEY (account_id, id);
ALTER TABLE campaigns ADD CONSTRAINT campaigns_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE campaigns ADD CONSTRAINT campaigns_attribution_model_check CHECK ((attribution_model = ANY (ARRAY['last_click'::text, 'first_click'::text])));
ALTER TABLE campaigns ADD CONSTRAINT campaigns_attribution_window_days_check CHECK (((attribution_window_days >= 1) AND (attribution_window_days <= 3650)));
ALTER TABLE campaigns ADD CONSTRAINT campaigns_hold_days_check CHECK (((hold_days >= 0) AND (hold_days <= 3650)));
ALTER TABLE campaigns ADD CONSTRAINT campaigns_minimum_payout_minor_check CHECK (((minimum_payout_minor >= 0) AND (minimum_payout_minor <= '9007199254740991'::bigint)));
ALTER TABLE campaigns ADD CONSTRAINT campaigns_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255)));
ALTER TABLE campaigns ADD CONSTRAINT campaigns_payout_currency_check CHECK ((payout_currency ~ '^[A-Z]{3}$'::text));
ALTER TABLE campaigns ADD CONSTRAINT campaigns_program_type_check CHECK ((program_type = ANY (ARRAY['affiliate'::text, 'referral'::text])));
ALTER TABLE campaigns ADD CONSTRAINT campaigns_slug_check CHECK (((slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text) AND (length(slug) <= 64)));
ALTER TABLE campaigns ADD CONSTRAINT campaigns_slug_taken UNIQUE (account_id, slug);
ALTER TABLE campaigns ADD CONSTRAINT campaigns_status_check CHECK ((status = ANY (ARRAY['active'::text, 'paused'::text, 'archived'::text])));
ALTER TABLE campaigns ADD CONSTRAINT campaigns_visibility_check CHECK ((visibility = ANY (ARRAY['public'::text, 'private'::text])));

CREATE TABLE clicks (
  account_id bigint NOT NULL,
  id bigint NOT NULL DEFAULT nextval('clicks_id_seq'::regclass),
  campaign_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  visitor_id text,
  address_hash bytea,
  is_bot boolean NOT NULL,
  user_agent text,
  landing_url text,
  referrer text,
  created_at timestamp(3) with time zone NOT NULL,
  country text
);
ALTER TABLE clicks ADD CONSTRAINT clicks_pkey PRIMARY KEY (account_id, id, created_at);
ALTER TABLE clicks ADD CONSTRAINT clicks_landing_url_check CHECK ((length(landing_url) <= 2048));
ALTER TABLE clicks ADD CONSTRAINT clicks_referrer_check CHECK ((length(referrer) <= 2048));
ALTER TABLE clicks ADD CONSTRAINT clicks_user_agent_check CHECK ((length(user_agent) <= 512));
ALTER TABLE clicks ADD CONSTRAINT clicks_visitor_id_check CHECK ((length(visitor_id) <= 64));
CREATE INDEX clicks_by_affiliate ON ONLY public.clicks USING btree (account_id, affiliate_id, created_at);
CREATE INDEX clicks_by_time ON ONLY public.clicks USING brin (created_at) WITH (pages_per_range='16', autosummarize='on');
CREATE INDEX clicks_by_visitor ON ONLY public.clicks USING btree (account_id, visitor_id) WHERE (visitor_id IS NOT NULL);

CREATE TABLE clicks_unfiled (
  account_id bigint NOT NULL,
  id bigint NOT NULL DEFAULT nextval('clicks_id_seq'::regclass),
  campaign_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  visitor_id text,
  address_hash bytea,
  is_bot boolean NOT NULL,
  user_agent text,
  landing_url text,
  referrer text,
  created_at timestamp(3) with time zone NOT NULL,
  country text
);
ALTER TABLE clicks_unfiled ADD CONSTRAINT clicks_unfiled_pkey PRIMARY KEY (account_id, id, created_at);
ALTER TABLE clicks_unfiled ADD CONSTRAINT clicks_landing_url_check CHECK ((length(landing_url) <= 2048));
ALTER TABLE clicks_unfiled ADD CONSTRAINT clicks_referrer_check CHECK ((length(referrer) <= 2048));
ALTER TABLE clicks_unfiled ADD CONSTRAINT clicks_user_agent_check CHECK ((length(user_agent) <= 512));
ALTER TABLE clicks_unfiled ADD CONSTRAINT clicks_visitor_id_check CHECK ((length(visitor_id) <= 64));
CREATE INDEX clicks_unfiled_account_id_affiliate_id_created_at_idx ON public.clicks_unfiled USING btree (account_id, affiliate_id, created_at);
CREATE INDEX clicks_unfiled_account_id_visitor_id_idx ON public.clicks_unfiled USING btree (account_id, visitor_id) WHERE (visitor_id IS NOT NULL);
CREATE INDEX clicks_unfiled_created_at_idx ON public.clicks_unfiled USING brin (created_at) WITH (pages_per_range='16', autosummarize='on');

CREATE TABLE commission_rules (
  account_id bigint NOT NULL,
  campaign_id bigint NOT NULL,
  version integer NOT NULL,
  rate_basis_points integer,
  flat_minor bigint,
  flat_currency text,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  beneficiary text NOT NULL DEFAULT 'affiliate'::text,
  entry_type text NOT NULL DEFAULT 'earned'::text,
  recurring_months integer
);
ALTER TABLE commission_rules ADD CONSTRAINT commission_rules_pkey PRIMARY KEY (account_id, campaign_id, version, beneficiary);
ALTER TABLE commission_rules ADD CONSTRAINT commission_rules_account_id_campaign_id_fkey FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id);
ALTER TABLE commission_rules ADD CONSTRAINT commission_rules_beneficiary_check CHECK ((beneficiary = ANY (ARRAY['affiliate'::text, 'referrer'::text, 'referee'::text])));
ALTER TABLE commission_rules ADD CONSTRAINT commission_rules_entry_type_check CHECK ((entry_type = ANY (ARRAY['earned'::text, 'credit'::text])));
ALTER TABLE commission_rules ADD CONSTRAINT commission_rules_flat_currency_check CHECK ((flat_currency ~ '^[A-Z]{3}$'::text));
ALTER TABLE commission_rules ADD CONSTRAINT commission_rules_flat_minor_check CHECK (((flat_minor >= 1) AND (flat_minor <= '9007199254740991'::bigint)));
ALTER TABLE commission_rules ADD CONSTRAINT commission_rules_percent_or_flat CHECK ((((rate_basis_points IS NOT NULL) AND (flat_minor IS NULL) AND (flat_currency IS NULL)) OR ((rate_basis_points IS NULL) AND (flat_minor IS NOT NULL) AND (flat_currency IS NOT NULL))));
ALTER TABLE commission_rules ADD CONSTRAINT commission_rules_rate_basis_points_check CHECK (((rate_basis_points >= 1) AND (rate_basis_points <= 10000)));
ALTER TABLE commission_rules ADD CONSTRAINT commission_rules_recurring_months_check CHECK (((recurring_months >= 0) AND (recurring_months <= 1200)));
ALTER TABLE commission_rules ADD CONSTRAINT commission_rules_version_check CHECK ((version > 0));

CREATE TABLE commissions (
  account_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  campaign_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  referral_id bigint,
  entry_type text NOT NULL,
  beneficiary text NOT NULL,
  amount_minor bigint NOT NULL,
  currency text NOT NULL,
  payout_amount_minor bigint NOT NULL,
  payout_currency text NOT NULL,
  status text NOT NULL,
  hold_until timestamp(3) with time zone,
  description text,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  sale_id bigint,
  rule_version integer,
  clawback_of bigint,
  refund_id bigint,
  fx_rate numeric,
  fx_source text,
  payout_item_id bigint,
  voided_at timestamp(3) with time zone,
  approved_at timestamp(3) with time zone,
  assignment integer NOT NULL DEFAULT 0,
  request_id text
);
ALTER TABLE commissions ADD CONSTRAINT commissions_pkey PRIMARY KEY (account_id, id);
ALTER TABLE commissions ADD CONSTRAINT commissions_account_id_affiliate_id_fkey FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates(account_id, id);
ALTER TABLE commissions ADD CONSTRAINT commissions_account_id_campaign_id_fkey FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id);
ALTER TABLE commissions ADD CONSTRAINT commissions_account_id_clawback_of_fkey FOREIGN KEY (account_id, clawback_of) REFERENCES commissions(account_id, id);
ALTER TABLE commissions ADD CONSTRAINT commissions_account_id_payout_item_id_fkey FOREIGN KEY (account_id, payout_item_id) REFERENCES payout_items(account_id, id);
ALTER TABLE commissions ADD CONSTRAINT commissions_account_id_referral_id_fkey FOREIGN KEY (account_id, referral_id) REFERENCES referrals(account_id, id);
ALTER TABLE commissions ADD CONSTRAINT commissions_account_id_refund_id_fkey FOREIGN KEY (account_id, refund_id) REFERENCES refunds(account_id, id);
ALTER TABLE commissions ADD CONSTRAINT commissions_account_id_sale_id_fkey FOREIGN KEY (account_id, sale_id) REFERENCES sales(account_id, id);
ALTER TABLE commissions ADD CONSTRAINT commissions_amount_minor_check CHECK ((abs(amount_minor) <= '9007199254740991'::bigint));
ALTER TABLE commissions ADD CONSTRAINT commissions_beneficiary_check CHECK ((beneficiary = ANY (ARRAY['affiliate'::text, 'referrer'::text, 'referee'::text])));
ALTER TABLE commissions ADD CONSTRAINT commissions_check CHECK (((payout_item_id IS NULL) OR (entry_type = ANY (ARRAY['payout'::text, 'adjustment'::text]))));
ALTER TABLE commissions ADD CONSTRAINT commissions_clawback_names_entry CHECK (((entry_type = ANY (ARRAY['clawback'::text, 'adjustment'::text])) OR ((clawback_of IS NULL) AND (refund_id IS NULL))));
ALTER TABLE commissions ADD CONSTRAINT commissions_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text));
ALTER TABLE commissions ADD CONSTRAINT commissions_entry_type_check CHECK ((entry_type = ANY (ARRAY['earned'::text, 'clawback'::text, 'adjustment'::text, 'payout'::text, 'credit'::text])));
ALTER TABLE commissions ADD CONSTRAINT commissions_payout_amount_minor_check CHECK ((abs(payout_amount_minor) <= '9007199254740991'::bigint));
ALTER TABLE commissions ADD CONSTRAINT commissions_payout_currency_check CHECK ((payout_currency ~ '^[A-Z]{3}$'::text));
ALTER TABLE commissions ADD CONSTRAINT commissions_same_currency CHECK (((currency <> payout_currency) OR (amount_minor = payout_amount_minor)));
ALTER TABLE commissions ADD CONSTRAINT commissions_sign CHECK (
CASE entry_type
    WHEN 'earned'::text THEN ((amount_minor > 0) AND (payout_amount_minor >= 0))
    WHEN 'credit'::text THEN ((amount_minor > 0) AND (payout_amount_minor >= 0))
    WHEN 'clawback'::text THEN ((amount_minor < 0) AND (payout_amount_minor <= 0))
    WHEN 'payout'::text THEN ((amount_minor < 0) AND (payout_amount_minor < 0))
    ELSE (amount_minor <> 0)
END);
ALTER TABLE commissions ADD CONSTRAINT commissions_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'paid'::text, 'void'::text])));
CREATE INDEX commissions_by_affiliate ON public.commissions USING btree (account_id, affiliate_id, id);
CREATE INDEX commissions_by_beneficiary ON public.commissions USING btree (account_id, beneficiary, id);
CREATE INDEX commissions_by_campaign ON public.commissions USING btree (account_id, campaign_id, id);
CREATE INDEX commissions_by_clawback ON public.commissions USING btree (account_id, clawback_of) WHERE (clawback_of IS NOT NULL);
CREATE INDEX commissions_by_entry_type ON public.commissions USING btree (account_id, entry_type, id);
CREATE INDEX commissions_by_payout_item ON public.commissions USING btree (account_id, payout_item_id) WHERE (payout_item_id IS NOT NULL);
CREATE INDEX commissions_by_referral ON public.commissions USING btree (account_id, referral_id, id);
CREATE INDEX commissions_by_status ON public.commissions USING btree (account_id, status, id);
CREATE INDEX commissions_by_time ON public.commissions USING btree (account_id, created_at);
CREATE INDEX commissions_large ON public.commissions USING btree (account_id) INCLUDE (payout_amount_minor) WHERE ((entry_type <> 'payout'::text) AND (abs(payout_amount_minor) >= '10000000000'::bigint));
CREATE INDEX commissions_on_hold ON public.commissions USING btree (hold_until) WHERE ((status = 'pending'::text) AND (hold_until IS NOT NULL));
CREATE UNIQUE INDEX commissions_once_per_assignment ON public.commissions USING btree (account_id, sale_id, beneficiary, assignment) WHERE ((entry_type = ANY (ARRAY['earned'::text, 'credit'::text])) AND (sale_id IS NOT NULL));
CREATE UNIQUE INDEX commissions_once_per_item ON public.commissions USING btree (account_id, payout_item_id) WHERE (entry_type = 'payout'::text);
CREATE UNIQUE INDEX commissions_once_per_request ON public.commissions USING btree (account_id, request_id) WHERE (request_id IS NOT NULL);
CREATE INDEX commissions_open ON public.commissions USING btree (account_id, campaign_id, affiliate_id) WHERE (status = ANY (ARRAY['pending'::text, 'approved'::text]));
CREATE TRIGGER commissions_only_move_forward BEFORE DELETE OR UPDATE ON public.commissions FOR EACH ROW EXECUTE FUNCTION commissions_only_move_forward();
CREATE TRIGGER credit_changed AFTER INSERT OR UPDATE OF status ON public.commissions FOR EACH ROW WHEN (((new.status = 'approved'::text) AND (new.entry_type = ANY (ARRAY['credit'::text, 'clawback'::text, 'adjustment'::text])))) EXECUTE FUNCTION note_credit_change();
CREATE TRIGGER insight_commission_added AFTER INSERT ON public.commissions FOR EACH ROW WHEN ((new.created_at < (clock_timestamp() - '01:00:00'::interval))) EXECUTE FUNCTION insight_mark_moment();
CREATE TRIGGER insight_commission_changed AFTER UPDATE OF status ON public.commissions FOR EACH ROW WHEN (((old.status <> 'void'::text) AND (new.status = 'void'::text) AND (old.created_at < (clock_timestamp() - '01:00:00'::interval)))) EXECUTE FUNCTION insight_mark_moment();

CREATE TABLE connector_codes (
  account_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  connector_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  code text NOT NULL,
  code_key text NOT NULL,
  coupon text,
  idempotency_key text NOT NULL DEFAULT (gen_random_uuid())::text,
  external_id text,
  is_active boolean NOT NULL DEFAULT false,
  is_ours boolean NOT NULL DEFAULT true,
  problem text,
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamp(3) with time zone DEFAULT now(),
  created_at timestamp(3) with time zone NOT NULL DEFAULT now()
);
ALTER TABLE connector_codes ADD CONSTRAINT connector_codes_pkey PRIMARY KEY (account_id, id);
ALTER TABLE connector_codes ADD CONSTRAINT connector_codes_account_id_affiliate_id_fkey FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates(account_id, id);
ALTER TABLE connector_codes ADD CONSTRAINT connector_codes_account_id_connector_id_fkey FOREIGN KEY (account_id, connector_id) REFERENCES connectors(account_id, id);
ALTER TABLE connector_codes ADD CONSTRAINT connector_codes_once UNIQUE (account_id, connector_id, affiliate_id, code_key);
CREATE INDEX connector_codes_due ON public.connector_codes USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE TABLE connector_credits (
  account_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  connector_id bigint NOT NULL,
  commission_id bigint NOT NULL,
  amount_minor bigint NOT NULL,
  customer text,
  balance_minor bigint,
  balance_currency text,
  key text NOT NULL DEFAULT (gen_random_uuid())::text,
  rejections integer NOT NULL DEFAULT 0,
  external_id text,
  problem text,
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamp(3) with time zone DEFAULT now(),
  created_at timestamp(3) with time zone NOT NULL DEFAULT now()
);
ALTER TABLE connector_credits ADD CONSTRAINT connector_credits_pkey PRIMARY KEY (account_id, id);
ALTER TABLE connector_credits ADD CONSTRAINT connector_credits_account_id_commission_id_fkey FOREIGN KEY (account_id, commission_id) REFERENCES commissions(account_id, id);
ALTER TABLE connector_credits ADD CONSTRAINT connector_credits_account_id_connector_id_fkey FOREIGN KEY (account_id, connector_id) REFERENCES connectors(account_id, id);
ALTER TABLE connector_credits ADD CONSTRAINT connector_credits_amount_minor_check CHECK ((amount_minor <> 0));
ALTER TABLE connector_credits ADD CONSTRAINT connector_credits_done CHECK (((external_id IS NULL) OR ((customer IS NOT NULL) AND (due_at IS NULL))));
ALTER TABLE connector_credits ADD CONSTRAINT connector_credits_recipient CHECK ((num_nulls(customer, balance_minor, balance_currency) = ANY (ARRAY[0, 3])));
CREATE INDEX connector_credits_by_commission ON public.connector_credits USING btree (account_id, commission_id, id);
CREATE INDEX connector_credits_by_connector ON public.connector_credits USING btree (account_id, connector_id, id);
CREATE INDEX connector_credits_due ON public.connector_credits USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE UNIQUE INDEX connector_credits_open ON public.connector_credits USING btree (account_id, commission_id) WHERE (external_id IS NULL);

CREATE TABLE connector_events (
  account_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  connector_id bigint NOT NULL,
  provider_id text NOT NULL,
  type text NOT NULL,
  occurred_at timestamp(3) with time zone NOT NULL,
  received_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  body text NOT NULL,
  status text NOT NULL DEFAULT 'received'::text,
  reason jsonb,
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamp(3) with time zone DEFAULT now(),
  waits_for text,
  referral_id bigint,
  sale_external_id text,
  refund_external_id text
);
ALTER TABLE connector_events ADD CONSTRAINT connector_events_pkey PRIMARY KEY (account_id, id);
ALTER TABLE connector_events ADD CONSTRAINT connector_events_account_id_connector_id_fkey FOREIGN KEY (account_id, connector_id) REFERENCES connectors(account_id, id);
ALTER TABLE connector_events ADD CONSTRAINT connector_events_account_id_referral_id_fkey FOREIGN KEY (account_id, referral_id) REFERENCES referrals(account_id, id);
ALTER TABLE connector_events ADD CONSTRAINT connector_events_once UNIQUE (account_id, connector_id, provider_id);
ALTER TABLE connector_events ADD CONSTRAINT connector_events_provider_id_check CHECK (((length(provider_id) >= 1) AND (length(provider_id) <= 255)));
ALTER TABLE connector_events ADD CONSTRAINT connector_events_status_check CHECK ((status = ANY (ARRAY['received'::text, 'applied'::text, 'ignored'::text, 'waiting'::text, 'failed'::text])));
ALTER TABLE connector_events ADD CONSTRAINT connector_events_type_check CHECK (((length(type) >= 1) AND (length(type) <= 255)));
ALTER TABLE connector_events ADD CONSTRAINT connector_events_waiting CHECK (((status = 'waiting'::text) = (waits_for IS NOT NULL)));
CREATE INDEX connector_events_by_connector ON public.connector_events USING btree (account_id, connector_id, id);
CREATE INDEX connector_events_by_sale ON public.connector_events USING btree (account_id, connector_id, sale_external_id) WHERE (sale_external_id IS NOT NULL);
CREATE INDEX connector_events_by_wait ON public.connector_events USING btree (account_id, connector_id, waits_for) WHERE (waits_for IS NOT NULL);
CREATE INDEX connector_events_due ON public.connector_events USING btree (account_id, connector_id, occurred_at, id) WHERE (due_at IS NOT NULL);
CREATE INDEX connector_events_with_body ON public.connector_events USING btree (received_at) WHERE ((status = ANY (ARRAY['applied'::text, 'ignored'::text])) AND (body <> ''::text));

CREATE TABLE connector_links (
  account_id bigint NOT NULL,
  connector_id bigint NOT NULL,
  kind text NOT NULL,
  ref text NOT NULL,
  target text NOT NULL,
  occurred_at timestamp(3) with time zone,
  targets text[]
);
ALTER TABLE connector_links ADD CONSTRAINT connector_links_pkey PRIMARY KEY (account_id, connector_id, kind, ref);
ALTER TABLE connector_links ADD CONSTRAINT connector_links_account_id_connector_id_fkey FOREIGN KEY (account_id, connector_id) REFERENCES connectors(account_id, id);
ALTER TABLE connector_links ADD CONSTRAINT connector_links_kind_check CHECK ((kind = ANY (ARRAY['payment'::text, 'code'::text, 'email'::text])));

CREATE TABLE connector_refunds (
  account_id bigint NOT NULL,
  connector_id bigint NOT NULL,
  external_id text NOT NULL,
  kind text NOT NULL,
  sale_external_id text,
  amount_minor bigint,
  is_reversed boolean NOT NULL DEFAULT false
);
ALTER TABLE connector_refunds ADD CONSTRAINT connector_refunds_pkey PRIMARY KEY (account_id, connector_id, external_id);
ALTER TABLE connector_refunds ADD CONSTRAINT connector_refunds_account_id_connector_id_fkey FOREIGN KEY (account_id, connector_id) REFERENCES connectors(account_id, id);
ALTER TABLE connector_refunds ADD CONSTRAINT connector_refunds_amount_minor_check CHECK ((amount_minor > 0));
ALTER TABLE connector_refunds ADD CONSTRAINT connector_refunds_kind_check CHECK ((kind = ANY (ARRAY['refund'::text, 'dispute'::text, 'credit'::text, 'total'::text])));
CREATE INDEX connector_refunds_by_sale ON public.connector_refunds USING btree (account_id, connector_id, sale_external_id);

CREATE TABLE connector_sales (
  account_id bigint NOT NULL,
  connector_id bigint NOT NULL,
  external_id text NOT NULL,
  customer text NOT NULL,
  amount_minor bigint NOT NULL,
  paid_minor bigint NOT NULL,
  currency text NOT NULL,
  subscription text,
  products text[] NOT NULL DEFAULT '{}'::text[],
  occurred_at timestamp(3) with time zone NOT NULL
);
ALTER TABLE connector_sales ADD CONSTRAINT connector_sales_pkey PRIMARY KEY (account_id, connector_id, external_id);
ALTER TABLE connector_sales ADD CONSTRAINT connector_sales_account_id_connector_id_fkey FOREIGN KEY (account_id, connector_id) REFERENCES connectors(account_id, id);
ALTER TABLE connector_sales ADD CONSTRAINT connector_sales_amount_minor_check CHECK ((amount_minor > 0));
ALTER TABLE connector_sales ADD CONSTRAINT connector_sales_paid_minor_check CHECK ((paid_minor > 0));
CREATE INDEX connector_sales_by_customer ON public.connector_sales USING btree (account_id, connector_id, customer);

CREATE TABLE connector_subscriptions (
  account_id bigint NOT NULL,
  connector_id bigint NOT NULL,
  subscription text NOT NULL,
  customer text NOT NULL,
  status text NOT NULL,
  occurred_at timestamp(3) with time zone NOT NULL
);
ALTER TABLE connector_subscriptions ADD CONSTRAINT connector_subscriptions_pkey PRIMARY KEY (account_id, connector_id, subscription);
ALTER TABLE connector_subscriptions ADD CONSTRAINT connector_subscriptions_account_id_connector_id_fkey FOREIGN KEY (account_id, connector_id) REFERENCES connectors(account_id, id);
ALTER TABLE connector_subscriptions ADD CONSTRAINT connector_subscriptions_status_check CHECK ((status = ANY (ARRAY['trialing'::text, 'active'::text, 'past_due'::text, 'paused'::text, 'canceled'::text])));
CREATE INDEX connector_subscriptions_by_customer ON public.connector_subscriptions USING btree (account_id, customer);

CREATE TABLE connectors (
  account_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  provider text NOT NULL,
  sealed_secret bytea,
  sealed_api_key bytea,
  api_url text,
  campaign_id bigint,
  base text NOT NULL DEFAULT 'net'::text,
  takes_tests boolean NOT NULL DEFAULT false,
  mapping jsonb NOT NULL DEFAULT '{}'::jsonb,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  removed_at timestamp(3) with time zone,
  synced_at timestamp(3) with time zone,
  needs_secret boolean NOT NULL DEFAULT false,
  sync_claimed_at timestamp(3) with time zone,
  processed_at timestamp(3) with time zone,
  code_coupon text,
  credits_since timestamp(3) with time zone,
  name text,
  sync_problem text
);
ALTER TABLE connectors ADD CONSTRAINT connectors_pkey PRIMARY KEY (account_id, id);
ALTER TABLE connectors ADD CONSTRAINT connectors_account_id_campaign_id_fkey FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id);
ALTER TABLE connectors ADD CONSTRAINT connectors_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE connectors ADD CONSTRAINT connectors_api_url_check CHECK ((length(api_url) <= 2048));
ALTER TABLE connectors ADD CONSTRAINT connectors_base_check CHECK ((base = ANY (ARRAY['net'::text, 'gross'::text])));
ALTER TABLE connectors ADD CONSTRAINT connectors_by_id UNIQUE (id);
ALTER TABLE connectors ADD CONSTRAINT connectors_provider_check CHECK (((length(provider) >= 1) AND (length(provider) <= 64)));
ALTER TABLE connectors ADD CONSTRAINT connectors_secret_until_removed CHECK (((sealed_secret IS NULL) = (removed_at IS NOT NULL)));

CREATE TABLE conversions (
  account_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  campaign_id bigint NOT NULL,
  customer_ref text NOT NULL,
  referral_id bigint,
  attribution jsonb NOT NULL,
  occurred_at timestamp(3) with time zone NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  sale_id bigint,
  is_test boolean,
  subscription_ref text
);
ALTER TABLE conversions ADD CONSTRAINT conversions_pkey PRIMARY KEY (account_id, id);
ALTER TABLE conversions ADD CONSTRAINT conversions_account_id_campaign_id_fkey FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id);
ALTER TABLE conversions ADD CONSTRAINT conversions_account_id_referral_id_fkey FOREIGN KEY (account_id, referral_id) REFERENCES referrals(account_id, id);
ALTER TABLE conversions ADD CONSTRAINT conversions_account_id_sale_id_fkey FOREIGN KEY (account_id, sale_id) REFERENCES sales(account_id, id);
ALTER TABLE conversions ADD CONSTRAINT conversions_customer_known UNIQUE (account_id, campaign_id, customer_ref);
CREATE INDEX conversions_by_referral ON public.conversions USING btree (account_id, referral_id);

CREATE TABLE creatives (
  account_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  campaign_id bigint,
  kind text NOT NULL,
  name text NOT NULL,
  text text,
  file bytea,
  file_type text,
  file_version text,
  width integer,
  height integer,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  "position" integer NOT NULL DEFAULT 0
);
ALTER TABLE creatives ADD CONSTRAINT creatives_pkey PRIMARY KEY (account_id, id);
ALTER TABLE creatives ADD CONSTRAINT creatives_account_id_campaign_id_fkey FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id);
ALTER TABLE creatives ADD CONSTRAINT creatives_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE creatives ADD CONSTRAINT creatives_check CHECK (((kind = 'text'::text) = (text IS NOT NULL)));
ALTER TABLE creatives ADD CONSTRAINT creatives_check1 CHECK (((kind = 'text'::text) = (file IS NULL)));
ALTER TABLE creatives ADD CONSTRAINT creatives_check2 CHECK ((((file IS NULL) = (file_type IS NULL)) AND ((file IS NULL) = (file_version IS NULL))));
ALTER TABLE creatives ADD CONSTRAINT creatives_check3 CHECK (((kind <> 'banner'::text) OR ((file_type <> 'application/pdf'::text) AND (width IS NOT NULL) AND (height IS NOT NULL))));
ALTER TABLE creatives ADD CONSTRAINT creatives_file_check CHECK ((length(file) <= 2097152));
ALTER TABLE creatives ADD CONSTRAINT creatives_file_type_check CHECK ((file_type = ANY (ARRAY['image/png'::text, 'image/jpeg'::text, 'image/gif'::text, 'image/webp'::text, 'application/pdf'::text])));
ALTER TABLE creatives ADD CONSTRAINT creatives_kind_check CHECK ((kind = ANY (ARRAY['banner'::text, 'text'::text, 'document'::text])));
ALTER TABLE creatives ADD CONSTRAINT creatives_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100)));
ALTER TABLE creatives ADD CONSTRAINT creatives_text_check CHECK (((length(text) >= 1) AND (length(text) <= 5000)));

CREATE TABLE credit_changes (
  account_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  commission_id bigint NOT NULL
);
ALTER TABLE credit_changes ADD CONSTRAINT credit_changes_pkey PRIMARY KEY (account_id, id);

CREATE TABLE customer_emails (
  account_id bigint NOT NULL,
  customer_ref text NOT NULL,
  email text NOT NULL,
  email_key text NOT NULL
);
ALTER TABLE customer_emails ADD CONSTRAINT customer_emails_pkey PRIMARY KEY (account_id, customer_ref);
ALTER TABLE customer_emails ADD CONSTRAINT customer_emails_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE customer_emails ADD CONSTRAINT customer_emails_customer_ref_check CHECK (((length(customer_ref) >= 1) AND (length(customer_ref) <= 255)));
ALTER TABLE customer_emails ADD CONSTRAINT customer_emails_email_check CHECK ((length(email) <= 254));
CREATE INDEX customer_emails_by_email ON public.customer_emails USING btree (account_id, email_key);

CREATE TABLE deliveries (
  account_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  event_id bigint NOT NULL,
  endpoint_id bigint NOT NULL,
  status text NOT NULL DEFAULT 'pending'::text,
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamp with time zone NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  leased_until timestamp with time zone
);
ALTER TABLE deliveries ADD CONSTRAINT deliveries_pkey PRIMARY KEY (account_id, id);
ALTER TABLE deliveries ADD CONSTRAINT deliveries_account_id_endpoint_id_fkey FOREIGN KEY (account_id, endpoint_id) REFERENCES webhook_endpoints(account_id, id);
ALTER TABLE deliveries ADD CONSTRAINT deliveries_account_id_event_id_fkey FOREIGN KEY (account_id, event_id) REFERENCES events(account_id, id);
ALTER TABLE deliveries ADD CONSTRAINT deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text, 'canceled'::text])));
CREATE INDEX deliveries_by_endpoint ON public.deliveries USING btree (account_id, endpoint_id, id);
CREATE INDEX deliveries_by_event ON public.deliveries USING btree (account_id, event_id);
CREATE INDEX deliveries_given_up ON public.deliveries USING btree (account_id, status, id) WHERE (status = ANY (ARRAY['failed'::text, 'canceled'::text]));
CREATE INDEX deliveries_queue ON public.deliveries USING btree (account_id, endpoint_id, due_at, id) WHERE (status = 'pending'::text);
CREATE TRIGGER deliveries_removed AFTER DELETE ON public.deliveries REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION delete_attempts();

CREATE TABLE delivery_attempts (
  account_id bigint NOT NULL,
  delivery_id bigint NOT NULL,
  number integer NOT NULL,
  started_at timestamp(3) with time zone NOT NULL,
  duration_ms integer NOT NULL,
  response_status integer,
  response_body bytea,
  error_stage text,
  error text,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY
);
ALTER TABLE delivery_attempts ADD CONSTRAINT delivery_attempts_pkey PRIMARY KEY (account_id, delivery_id, id);
ALTER TABLE delivery_attempts ADD CONSTRAINT delivery_attempts_error_stage_check CHECK ((error_stage = ANY (ARRAY['destination'::text, 'dns'::text, 'connect'::text, 'tls'::text, 'response'::text, 'body'::text, 'status'::text])));

CREATE TABLE digest_refusals (
  account_id bigint NOT NULL,
  user_id bigint NOT NULL
);
ALTER TABLE digest_refusals ADD CONSTRAINT digest_refusals_pkey PRIMARY KEY (account_id, user_id);
ALTER TABLE digest_refusals ADD CONSTRAINT digest_refusals_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE digest_refusals ADD CONSTRAINT digest_refusals_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);

CREATE TABLE digests (
  account_id bigint NOT NULL,
  kind text NOT NULL,
  since timestamp(3) with time zone NOT NULL DEFAULT now(),
  due_day date,
  after_id bigint NOT NULL DEFAULT 0,
  is_done boolean NOT NULL DEFAULT true,
  is_on boolean NOT NULL DEFAULT true
);
ALTER TABLE digests ADD CONSTRAINT digests_pkey PRIMARY KEY (account_id, kind);
ALTER TABLE digests ADD CONSTRAINT digests_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE digests ADD CONSTRAINT digests_kind_check CHECK ((kind = ANY (ARRAY['team'::text, 'affiliate'::text])));

CREATE TABLE enrolments (
  account_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  affiliate_id bigint NOT NULL,
  campaign_id bigint NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now()
);
ALTER TABLE enrolments ADD CONSTRAINT enrolments_pkey PRIMARY KEY (account_id, affiliate_id, campaign_id);
ALTER TABLE enrolments ADD CONSTRAINT enrolments_account_id_affiliate_id_fkey FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates(account_id, id);
ALTER TABLE enrolments ADD CONSTRAINT enrolments_account_id_campaign_id_fkey FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id);
CREATE INDEX enrolments_by_campaign ON public.enrolments USING btree (account_id, campaign_id, affiliate_id);

CREATE TABLE events (
  account_id bigint NOT NULL,
  id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  kind text NOT NULL,
  subject_id bigint NOT NULL,
  body text NOT NULL,
  is_test boolean NOT NULL DEFAULT false,
  created_at timestamp(3) with time zone NOT NULL
);
ALTER TABLE events ADD CONSTRAINT events_pkey PRIMARY KEY (account_id, id);
ALTER TABLE events ADD CONSTRAINT events_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE events ADD CONSTRAINT events_kind_check CHECK ((kind = ANY (ARRAY['promoter.approved'::text, 'commission.created'::text, 'payout.paid'::text, 'conversion.created'::text])));
CREATE INDEX events_by_time ON public.events USING btree (account_id, created_at);
CREATE UNIQUE INDEX events_once ON public.events USING btree (account_id, kind, subject_id) WHERE ((kind = ANY (ARRAY['commission.created'::text, 'conversion.created'::text])) AND (NOT is_test));

CREATE TABLE fx_rates (
  base text NOT NULL,
  quote text NOT NULL,
  day date NOT NULL,
  rate numeric NOT NULL,
  source text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now()
);
ALTER TABLE fx_rates ADD CONSTRAINT fx_rates_pkey PRIMARY KEY (base, quote, day);
ALTER TABLE fx_rates ADD CONSTRAINT fx_rates_base_check CHECK ((base ~ '^[A-Z]{3}$'::text));
ALTER TABLE fx_rates ADD CONSTRAINT fx_rates_check CHECK (((quote ~ '^[A-Z]{3}$'::text) AND (quote <> base)));
ALTER TABLE fx_rates ADD CONSTRAINT fx_rates_rate_check CHECK ((rate > (0)::numeric));

CREATE TABLE idempotency_keys (
  account_id bigint NOT NULL,
  api_key_id bigint NOT NULL,
  idempotency_key text NOT NULL,
  request_hash bytea NOT NULL,
  sealed_answer bytea NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now()
);
ALTER TABLE idempotency_keys ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (account_id, api_key_id, idempotency_key);
ALTER TABLE idempotency_keys ADD CONSTRAINT idempotency_keys_account_id_api_key_id_fkey FOREIGN KEY (account_id, api_key_id) REFERENCES api_keys(account_id, id);
CREATE INDEX idempotency_keys_by_age ON public.idempotency_keys USING btree (created_at);

CREATE TABLE insight_accounts (
  account_id bigint NOT NULL,
  time_zone text NOT NULL,
  closed_until date NOT NULL,
  has_cohorts boolean NOT NULL DEFAULT false,
  facts_version integer NOT NULL DEFAULT 0,
  open_until timestamp(3) with time zone,
  open_has_changed boolean NOT NULL DEFAULT false
);
ALTER TABLE insight_accounts ADD CONSTRAINT insight_accounts_pkey PRIMARY KEY (account_id);
ALTER TABLE insight_accounts ADD CONSTRAINT insight_accounts_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
CREATE TRIGGER insight_days_closed BEFORE UPDATE OF closed_until ON public.insight_accounts FOR EACH ROW EXECUTE FUNCTION insight_open_day_ends();

CREATE TABLE insight_cohort_days (
  account_id bigint NOT NULL,
  day date NOT NULL,
  first_month date NOT NULL,
  campaign_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  currency text NOT NULL,
  buyers integer NOT NULL,
  revenue_minor bigint NOT NULL,
  refunded_minor bigint NOT NULL
);
ALTER TABLE insight_cohort_days ADD CONSTRAINT insight_cohort_days_pkey PRIMARY KEY (account_id, day, first_month, campaign_id, affiliate_id, currency);

CREATE TABLE insight_cohorts (
  account_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  first_month date NOT NULL,
  month date NOT NULL,
  campaign_id bigint NOT NULL,
  currency text NOT NULL,
  buyers bigint NOT NULL,
  revenue_minor bigint NOT NULL,
  refunded_minor bigint NOT NULL
);
ALTER TABLE insight_cohorts ADD CONSTRAINT insight_cohorts_pkey PRIMARY KEY (account_id, affiliate_id, first_month, month, campaign_id, currency);

CREATE TABLE insight_earning_days (
  account_id bigint NOT NULL,
  day date NOT NULL,
  campaign_id bigint NOT NULL,
  currency text NOT NULL,
  conversions bigint NOT NULL,
  customers bigint NOT NULL,
  sales bigint NOT NULL,
  revenue_minor bigint NOT NULL,
  refunds bigint NOT NULL,
  refunded_minor bigint NOT NULL,
  commissions bigint NOT NULL,
  commissions_minor bigint NOT NULL
);
ALTER TABLE insight_earning_days ADD CONSTRAINT insight_earning_days_pkey PRIMARY KEY (account_id, day, campaign_id, currency);

CREATE TABLE insight_earnings (
  account_id bigint NOT NULL,
  day date NOT NULL,
  campaign_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  currency text NOT NULL,
  conversions integer NOT NULL,
  customers integer NOT NULL,
  sales integer NOT NULL,
  revenue_minor bigint NOT NULL,
  refunds integer NOT NULL,
  refunded_minor bigint NOT NULL,
  commissions integer NOT NULL,
  commissions_minor bigint NOT NULL
);
ALTER TABLE insight_earnings ADD CONSTRAINT insight_earnings_pkey PRIMARY KEY (account_id, day, campaign_id, affiliate_id, currency);
CREATE INDEX insight_earnings_by_affiliate ON public.insight_earnings USING btree (account_id, affiliate_id, day);
CREATE INDEX insight_earnings_by_currency ON public.insight_earnings USING btree (account_id, currency, day);
CREATE TRIGGER insight_earnings_added AFTER INSERT ON public.insight_earnings REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION insight_earnings_changed();
CREATE TRIGGER insight_earnings_changed AFTER UPDATE ON public.insight_earnings REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION insight_earnings_changed();
CREATE TRIGGER insight_earnings_removed AFTER DELETE ON public.insight_earnings REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION insight_earnings_changed();

CREATE TABLE insight_marks (
  account_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  at timestamp(3) with time zone,
  referral_id bigint,
  with_visits boolean NOT NULL
);
ALTER TABLE insight_marks ADD CONSTRAINT insight_marks_pkey PRIMARY KEY (account_id, id);
ALTER TABLE insight_marks ADD CONSTRAINT insight_marks_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE insight_marks ADD CONSTRAINT insight_marks_check CHECK (((at IS NOT NULL) OR (referral_id IS NOT NULL)));
CREATE INDEX insight_marks_by_time ON public.insight_marks USING btree (account_id, at);
CREATE TRIGGER insight_marks_removed AFTER DELETE ON public.insight_marks REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION insight_open_day_changes();

CREATE TABLE insight_source_earnings (
  account_id bigint NOT NULL,
  day date NOT NULL,
  dimension text NOT NULL,
  campaign_id bigint NOT NULL,
  value text NOT NULL,
  currency text NOT NULL,
  conversions integer NOT NULL,
  customers integer NOT NULL,
  sales integer NOT NULL,
  revenue_minor bigint NOT NULL,
  refunds integer NOT NULL,
  refunded_minor bigint NOT NULL,
  commissions integer NOT NULL,
  commissions_minor bigint NOT NULL
);
ALTER TABLE insight_source_earnings ADD CONSTRAINT insight_source_earnings_pkey PRIMARY KEY (account_id, dimension, day, campaign_id, value, currency);

CREATE TABLE insight_sources (
  account_id bigint NOT NULL,
  day date NOT NULL,
  dimension text NOT NULL,
  campaign_id bigint NOT NULL,
  value text NOT NULL,
  clicks integer NOT NULL,
  unique_clicks integer NOT NULL,
  conversions integer NOT NULL DEFAULT 0,
  leads integer NOT NULL DEFAULT 0
);
ALTER TABLE insight_sources ADD CONSTRAINT insight_sources_pkey PRIMARY KEY (account_id, dimension, day, campaign_id, value);

CREATE TABLE insight_total_days (
  account_id bigint NOT NULL,
  until date NOT NULL
);
ALTER TABLE insight_total_days ADD CONSTRAINT insight_total_days_pkey PRIMARY KEY (account_id, until);

CREATE TABLE insight_totals (
  account_id bigint NOT NULL,
  until date NOT NULL,
  affiliate_id bigint NOT NULL,
  campaign_id bigint NOT NULL,
  clicks bigint NOT NULL DEFAULT 0,
  unique_clicks bigint NOT NULL DEFAULT 0,
  leads bigint NOT NULL DEFAULT 0,
  conversions bigint NOT NULL DEFAULT 0,
  customers bigint NOT NULL DEFAULT 0,
  sales bigint NOT NULL DEFAULT 0,
  revenue_minor bigint NOT NULL DEFAULT 0,
  refunds bigint NOT NULL DEFAULT 0,
  refunded_minor bigint NOT NULL DEFAULT 0,
  commissions bigint NOT NULL DEFAULT 0,
  commissions_minor bigint NOT NULL DEFAULT 0,
  currency text NOT NULL
);
ALTER TABLE insight_totals ADD CONSTRAINT insight_totals_pkey PRIMARY KEY (account_id, until, affiliate_id, campaign_id, currency);

CREATE TABLE insight_visit_days (
  account_id bigint NOT NULL,
  day date NOT NULL,
  campaign_id bigint NOT NULL,
  clicks bigint NOT NULL,
  unique_clicks bigint NOT NULL,
  leads bigint NOT NULL
);
ALTER TABLE insight_visit_days ADD CONSTRAINT insight_visit_days_pkey PRIMARY KEY (account_id, day, campaign_id);

CREATE TABLE insight_visits (
  account_id bigint NOT NULL,
  day date NOT NULL,
  campaign_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  clicks integer NOT NULL,
  unique_clicks integer NOT NULL,
  leads integer NOT NULL
);
ALTER TABLE insight_visits ADD CONSTRAINT insight_visits_pkey PRIMARY KEY (account_id, day, campaign_id, affiliate_id);
CREATE INDEX insight_visits_by_affiliate ON public.insight_visits USING btree (account_id, affiliate_id, day);
CREATE TRIGGER insight_visits_added AFTER INSERT ON public.insight_visits REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION insight_visits_changed();
CREATE TRIGGER insight_visits_changed AFTER UPDATE ON public.insight_visits REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION insight_visits_changed();
CREATE TRIGGER insight_visits_removed AFTER DELETE ON public.insight_visits REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION insight_visits_changed();

CREATE TABLE installation (
  only_row boolean NOT NULL DEFAULT true,
  secret_key_check bytea NOT NULL
);
ALTER TABLE installation ADD CONSTRAINT installation_pkey PRIMARY KEY (only_row);
ALTER TABLE installation ADD CONSTRAINT installation_only_row_check CHECK (only_row);

CREATE TABLE invitations (
  account_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  email text NOT NULL,
  email_key text NOT NULL,
  role text NOT NULL,
  token_hash bytea NOT NULL,
  invited_by bigint NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now()
);
ALTER TABLE invitations ADD CONSTRAINT invitations_pkey PRIMARY KEY (account_id, id);
ALTER TABLE invitations ADD CONSTRAINT invitations_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE invitations ADD CONSTRAINT invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES users(id);
ALTER TABLE invitations ADD CONSTRAINT invitations_one_per_email UNIQUE (account_id, email_key);
ALTER TABLE invitations ADD CONSTRAINT invitations_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'finance'::text, 'viewer'::text])));
ALTER TABLE invitations ADD CONSTRAINT invitations_token_hash_key UNIQUE (token_hash);

CREATE TABLE join_answers (
  account_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  campaign_id bigint NOT NULL,
  "position" integer NOT NULL,
  kind text NOT NULL,
  question text NOT NULL,
  answer text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now()
);
ALTER TABLE join_answers ADD CONSTRAINT join_answers_pkey PRIMARY KEY (account_id, affiliate_id, campaign_id, "position");
ALTER TABLE join_answers ADD CONSTRAINT join_answers_account_id_affiliate_id_fkey FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates(account_id, id);
ALTER TABLE join_answers ADD CONSTRAINT join_answers_account_id_campaign_id_fkey FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id);
ALTER TABLE join_answers ADD CONSTRAINT join_answers_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE join_answers ADD CONSTRAINT join_answers_answer_check CHECK ((length(answer) <= 500));
ALTER TABLE join_answers ADD CONSTRAINT join_answers_kind_check CHECK ((kind = ANY (ARRAY['text'::text, 'url'::text, 'choice'::text])));
ALTER TABLE join_answers ADD CONSTRAINT join_answers_position_check CHECK ((("position" >= 1) AND ("position" <= 10)));

CREATE TABLE join_forms (
  account_id bigint NOT NULL,
  campaign_id bigint NOT NULL,
  version integer NOT NULL,
  questions jsonb NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now()
);
ALTER TABLE join_forms ADD CONSTRAINT join_forms_pkey PRIMARY KEY (account_id, campaign_id);
ALTER TABLE join_forms ADD CONSTRAINT join_forms_account_id_campaign_id_fkey FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id);
ALTER TABLE join_forms ADD CONSTRAINT join_forms_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE join_forms ADD CONSTRAINT join_forms_questions_check CHECK (((jsonb_typeof(questions) = 'array'::text) AND (jsonb_array_length(questions) <= 10)));

CREATE TABLE leaderboard_names (
  account_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  nickname text
);
ALTER TABLE leaderboard_names ADD CONSTRAINT leaderboard_names_pkey PRIMARY KEY (account_id, affiliate_id);
ALTER TABLE leaderboard_names ADD CONSTRAINT leaderboard_names_account_id_affiliate_id_fkey FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates(account_id, id);
ALTER TABLE leaderboard_names ADD CONSTRAINT leaderboard_names_nickname_check CHECK (((length(nickname) >= 1) AND (length(nickname) <= 40)));

CREATE TABLE look_backs (
  account_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  approved_at timestamp with time zone NOT NULL DEFAULT clock_timestamp()
);
ALTER TABLE look_backs ADD CONSTRAINT look_backs_pkey PRIMARY KEY (account_id, affiliate_id);
ALTER TABLE look_backs ADD CONSTRAINT look_backs_account_id_affiliate_id_fkey FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates(account_id, id);

CREATE TABLE magic_links (
  account_id bigint NOT NULL,
  token_hash bytea NOT NULL,
  affiliate_id bigint NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  used_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now()
);
ALTER TABLE magic_links ADD CONSTRAINT magic_links_pkey PRIMARY KEY (account_id, token_hash);
ALTER TABLE magic_links ADD CONSTRAINT magic_links_account_id_affiliate_id_fkey FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates(account_id, id);
CREATE INDEX magic_links_by_expiry ON public.magic_links USING btree (expires_at);

CREATE TABLE mail_servers (
  account_id bigint NOT NULL,
  from_address text NOT NULL,
  sealed bytea NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now()
);
ALTER TABLE mail_servers ADD CONSTRAINT mail_servers_pkey PRIMARY KEY (account_id);
ALTER TABLE mail_servers ADD CONSTRAINT mail_servers_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);

CREATE TABLE mail_templates (
  account_id bigint NOT NULL,
  kind text NOT NULL,
  subject text NOT NULL,
  body text NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now()
);
ALTER TABLE mail_templates ADD CONSTRAINT mail_templates_pkey PRIMARY KEY (account_id, kind);
ALTER TABLE mail_templates ADD CONSTRAINT mail_templates_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);

CREATE TABLE mails (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  account_id bigint,
  kind text NOT NULL,
  to_address text NOT NULL,
  subject text NOT NULL,
  text_body text NOT NULL,
  html_body text NOT NULL,
  status text NOT NULL DEFAULT 'pending'::text,
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  problem text,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  sent_at timestamp(3) with time zone,
  from_name text,
  reply_to text,
  server_account_id bigint,
  unsubscribe_url text,
  unanswered integer NOT NULL DEFAULT 0
);
ALTER TABLE mails ADD CONSTRAINT mails_pkey PRIMARY KEY (id);
ALTER TABLE mails ADD CONSTRAINT mails_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE mails ADD CONSTRAINT mails_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'sent'::text, 'failed'::text, 'kept'::text])));
CREATE INDEX mails_by_account ON public.mails USING btree (account_id, id);
CREATE INDEX mails_by_recipient ON public.mails USING btree (account_id, to_address, created_at);
CREATE INDEX mails_queue ON public.mails USING btree (COALESCE(account_id, server_account_id, (0)::bigint), ((kind = ANY (ARRAY['sign_in_link'::text, 'password_reset'::text, 'confirm_join'::text]))), due_at, id) WHERE (status = 'pending'::text);

CREATE TABLE memberships (
  account_id bigint NOT NULL,
  user_id bigint NOT NULL,
  role text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  wants_digest boolean NOT NULL DEFAULT true
);
ALTER TABLE memberships ADD CONSTRAINT memberships_pkey PRIMARY KEY (account_id, user_id);
ALTER TABLE memberships ADD CONSTRAINT memberships_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE memberships ADD CONSTRAINT memberships_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'finance'::text, 'viewer'::text])));
ALTER TABLE memberships ADD CONSTRAINT memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);
CREATE INDEX memberships_by_user ON public.memberships USING btree (user_id);

CREATE TABLE notices (
  account_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  kind text NOT NULL,
  affiliate_id bigint,
  details jsonb NOT NULL DEFAULT '{}'::jsonb,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now()
);
ALTER TABLE notices ADD CONSTRAINT notices_pkey PRIMARY KEY (account_id, id);
ALTER TABLE notices ADD CONSTRAINT notices_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
CREATE INDEX notices_of_links ON public.notices USING btree (account_id, id) WHERE (kind = ANY (ARRAY['sign_in_link'::text, 'password_reset'::text, 'confirm_join'::text]));

CREATE TABLE password_resets (
  token_hash bytea NOT NULL,
  user_id bigint NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL
);
ALTER TABLE password_resets ADD CONSTRAINT password_resets_pkey PRIMARY KEY (token_hash);
ALTER TABLE password_resets ADD CONSTRAINT password_resets_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);
CREATE INDEX password_resets_by_user ON public.password_resets USING btree (user_id);

CREATE TABLE past_assignments (
  account_id bigint NOT NULL,
  referral_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  campaign_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  ended_at timestamp(3) with time zone NOT NULL DEFAULT now()
);
ALTER TABLE past_assignments ADD CONSTRAINT past_assignments_pkey PRIMARY KEY (account_id, referral_id, id);
ALTER TABLE past_assignments ADD CONSTRAINT past_assignments_account_id_affiliate_id_fkey FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates(account_id, id);
ALTER TABLE past_assignments ADD CONSTRAINT past_assignments_account_id_campaign_id_fkey FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id);
ALTER TABLE past_assignments ADD CONSTRAINT past_assignments_account_id_referral_id_fkey FOREIGN KEY (account_id, referral_id) REFERENCES referrals(account_id, id);

CREATE TABLE payout_items (
  account_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  payout_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  amount_minor bigint NOT NULL,
  currency text NOT NULL,
  status text NOT NULL,
  payout_address text,
  submission_id bigint,
  outcome text,
  reason text,
  reference text,
  external_id text,
  settled_at timestamp(3) with time zone
);
ALTER TABLE payout_items ADD CONSTRAINT payout_items_pkey PRIMARY KEY (account_id, id);
ALTER TABLE payout_items ADD CONSTRAINT payout_items_account_id_affiliate_id_fkey FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates(account_id, id);
ALTER TABLE payout_items ADD CONSTRAINT payout_items_account_id_payout_id_currency_fkey FOREIGN KEY (account_id, payout_id, currency) REFERENCES payouts(account_id, id, currency);
ALTER TABLE payout_items ADD CONSTRAINT payout_items_account_id_submission_id_fkey FOREIGN KEY (account_id, submission_id) REFERENCES payout_submissions(account_id, id);
ALTER TABLE payout_items ADD CONSTRAINT payout_items_amount_minor_check CHECK (((amount_minor >= 1) AND (amount_minor <= '9007199254740991'::bigint)));
ALTER TABLE payout_items ADD CONSTRAINT payout_items_check CHECK (((status = ANY (ARRAY['pending'::text, 'processing'::text])) OR (status = outcome)));
ALTER TABLE payout_items ADD CONSTRAINT payout_items_one_per_affiliate UNIQUE (account_id, payout_id, affiliate_id);
ALTER TABLE payout_items ADD CONSTRAINT payout_items_outcome_check CHECK ((outcome = ANY (ARRAY['paid'::text, 'failed'::text, 'canceled'::text])));
ALTER TABLE payout_items ADD CONSTRAINT payout_items_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'paid'::text, 'failed'::text, 'canceled'::text])));
CREATE INDEX payout_items_by_affiliate ON public.payout_items USING btree (account_id, affiliate_id, id);
CREATE INDEX payout_items_by_submission ON public.payout_items USING btree (account_id, submission_id) WHERE (submission_id IS NOT NULL);
CREATE INDEX payout_items_to_settle ON public.payout_items USING btree (account_id, payout_id, id) WHERE ((outcome IS NOT NULL) AND (status = ANY (ARRAY['pending'::text, 'processing'::text])));
CREATE INDEX payout_items_unsettled ON public.payout_items USING btree (account_id, payout_id, id) WHERE (status = ANY (ARRAY['pending'::text, 'processing'::text]));

CREATE TABLE payout_submissions (
  account_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  payout_id bigint NOT NULL,
  sender_batch_id text NOT NULL,
  status text NOT NULL DEFAULT 'intended'::text,
  maybe_sent_at timestamp(3) with time zone,
  external_id text,
  problem text,
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamp(3) with time zone DEFAULT now(),
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  paying_account text,
  account_changed boolean NOT NULL DEFAULT false
);
ALTER TABLE payout_submissions ADD CONSTRAINT payout_submissions_pkey PRIMARY KEY (account_id, id);
ALTER TABLE payout_submissions ADD CONSTRAINT payout_submissions_account_id_payout_id_fkey FOREIGN KEY (account_id, payout_id) REFERENCES payouts(account_id, id);
ALTER TABLE payout_submissions ADD CONSTRAINT payout_submissions_check CHECK (((status = 'accepted'::text) = (external_id IS NOT NULL)));
ALTER TABLE payout_submissions ADD CONSTRAINT payout_submissions_sender_batch_id_key UNIQUE (sender_batch_id);
ALTER TABLE payout_submissions ADD CONSTRAINT payout_submissions_status_check CHECK ((status = ANY (ARRAY['intended'::text, 'accepted'::text, 'refused'::text, 'unclear'::text])));
CREATE INDEX payout_submissions_by_payout ON public.payout_submissions USING btree (account_id, payout_id);
CREATE INDEX payout_submissions_due ON public.payout_submissions USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE TABLE payouts (
  account_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  campaign_id bigint NOT NULL,
  rail text NOT NULL,
  status text NOT NULL,
  currency text NOT NULL,
  total_minor bigint NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  minimum_payout_minor bigint NOT NULL DEFAULT 0,
  cut_off timestamp(3) with time zone NOT NULL DEFAULT now(),
  digest text,
  finished_at timestamp(3) with time zone
);
ALTER TABLE payouts ADD CONSTRAINT payouts_pkey PRIMARY KEY (account_id, id);
ALTER TABLE payouts ADD CONSTRAINT payouts_account_id_campaign_id_fkey FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id);
ALTER TABLE payouts ADD CONSTRAINT payouts_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text));
ALTER TABLE payouts ADD CONSTRAINT payouts_currency_of_items UNIQUE (account_id, id, currency);
ALTER TABLE payouts ADD CONSTRAINT payouts_rail_check CHECK ((rail = ANY (ARRAY['manual'::text, 'paypal'::text])));
ALTER TABLE payouts ADD CONSTRAINT payouts_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'paid'::text, 'partially_paid'::text, 'failed'::text, 'canceled'::text])));
ALTER TABLE payouts ADD CONSTRAINT payouts_total_minor_check CHECK (((total_minor >= 1) AND (total_minor <= '9007199254740991'::bigint)));
CREATE INDEX payouts_by_campaign ON public.payouts USING btree (account_id, campaign_id, id);
CREATE INDEX payouts_by_status ON public.payouts USING btree (account_id, status, id);

CREATE TABLE pending_credits (
  account_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  conversion_id bigint NOT NULL,
  attribution jsonb NOT NULL,
  place integer NOT NULL,
  subscription_ref text,
  is_test boolean NOT NULL,
  review text[] NOT NULL,
  credit_until timestamp(3) with time zone NOT NULL
);
ALTER TABLE pending_credits ADD CONSTRAINT pending_credits_pkey PRIMARY KEY (account_id, affiliate_id, conversion_id);
ALTER TABLE pending_credits ADD CONSTRAINT pending_credits_account_id_affiliate_id_fkey FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates(account_id, id);
ALTER TABLE pending_credits ADD CONSTRAINT pending_credits_account_id_conversion_id_fkey FOREIGN KEY (account_id, conversion_id) REFERENCES conversions(account_id, id);
CREATE INDEX pending_credits_by_conversion ON public.pending_credits USING btree (account_id, conversion_id);
CREATE INDEX pending_credits_by_end ON public.pending_credits USING btree (credit_until);

CREATE TABLE pinned_commissions (
  account_id bigint NOT NULL,
  commission_id bigint NOT NULL,
  payout_item_id bigint NOT NULL,
  released boolean NOT NULL DEFAULT false
);
ALTER TABLE pinned_commissions ADD CONSTRAINT pinned_commissions_pkey PRIMARY KEY (account_id, commission_id, payout_item_id);
CREATE UNIQUE INDEX pinned_commissions_once ON public.pinned_commissions USING btree (account_id, commission_id) WHERE (NOT released);

CREATE TABLE portal_joins (
  account_id bigint NOT NULL,
  token_hash bytea NOT NULL,
  campaign_id bigint NOT NULL,
  email text NOT NULL,
  email_key text NOT NULL,
  name text,
  expires_at timestamp(3) with time zone NOT NULL,
  used_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  answers jsonb,
  terms_version integer
);
ALTER TABLE portal_joins ADD CONSTRAINT portal_joins_pkey PRIMARY KEY (account_id, token_hash);
ALTER TABLE portal_joins ADD CONSTRAINT portal_joins_account_id_campaign_id_fkey FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id);
CREATE INDEX portal_joins_by_email ON public.portal_joins USING btree (account_id, email_key, created_at);
CREATE INDEX portal_joins_by_expiry ON public.portal_joins USING btree (expires_at);

CREATE TABLE portal_sessions (
  account_id bigint NOT NULL,
  token_hash bytea NOT NULL,
  affiliate_id bigint NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  last_seen_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  expires_at timestamp(3) with time zone NOT NULL
);
ALTER TABLE portal_sessions ADD CONSTRAINT portal_sessions_pkey PRIMARY KEY (account_id, token_hash);
ALTER TABLE portal_sessions ADD CONSTRAINT portal_sessions_account_id_affiliate_id_fkey FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates(account_id, id);
CREATE INDEX portal_sessions_by_affiliate ON public.portal_sessions USING btree (account_id, affiliate_id);
CREATE INDEX portal_sessions_by_expiry ON public.portal_sessions USING btree (expires_at);

CREATE TABLE portal_views (
  account_id bigint NOT NULL,
  link_hash bytea NOT NULL,
  session_hash bytea,
  affiliate_id bigint NOT NULL,
  user_id bigint NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  expires_at timestamp(3) with time zone NOT NULL
);
ALTER TABLE portal_views ADD CONSTRAINT portal_views_pkey PRIMARY KEY (account_id, link_hash);
ALTER TABLE portal_views ADD CONSTRAINT portal_views_account_id_affiliate_id_fkey FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates(account_id, id);
ALTER TABLE portal_views ADD CONSTRAINT portal_views_one_per_session UNIQUE (account_id, session_hash);
ALTER TABLE portal_views ADD CONSTRAINT portal_views_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);
CREATE INDEX portal_views_by_expiry ON public.portal_views USING btree (expires_at);

CREATE TABLE portals (
  account_id bigint NOT NULL,
  name text,
  colour text NOT NULL DEFAULT '#12755c'::text,
  domain text,
  terms_url text,
  frame_origins text[] NOT NULL DEFAULT '{}'::text[],
  customers_shown text NOT NULL DEFAULT 'masked'::text,
  silent_mails text[] NOT NULL DEFAULT '{}'::text[],
  logo bytea,
  logo_type text,
  leaderboard text,
  leaderboard_numbers boolean NOT NULL DEFAULT false
);
ALTER TABLE portals ADD CONSTRAINT portals_pkey PRIMARY KEY (account_id);
ALTER TABLE portals ADD CONSTRAINT portals_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE portals ADD CONSTRAINT portals_check CHECK (((logo IS NULL) = (logo_type IS NULL)));
ALTER TABLE portals ADD CONSTRAINT portals_colour_check CHECK ((colour ~ '^#[0-9a-f]{6}$'::text));
ALTER TABLE portals ADD CONSTRAINT portals_customers_shown_check CHECK ((customers_shown = ANY (ARRAY['masked'::text, 'hidden'::text, 'full'::text])));
ALTER TABLE portals ADD CONSTRAINT portals_domain_check CHECK (((domain ~ '^[a-z0-9-]+(\.[a-z0-9-]+)+$'::text) AND (length(domain) <= 253)));
ALTER TABLE portals ADD CONSTRAINT portals_domain_taken UNIQUE (domain);
ALTER TABLE portals ADD CONSTRAINT portals_leaderboard_check CHECK ((leaderboard = ANY (ARRAY['conversions'::text, 'commissions'::text])));
ALTER TABLE portals ADD CONSTRAINT portals_logo_check CHECK ((length(logo) <= 262144));
ALTER TABLE portals ADD CONSTRAINT portals_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100)));
ALTER TABLE portals ADD CONSTRAINT portals_terms_url_check CHECK ((length(terms_url) <= 2048));

CREATE TABLE rail_credentials (
  account_id bigint NOT NULL,
  rail text NOT NULL,
  sealed bytea NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now()
);
ALTER TABLE rail_credentials ADD CONSTRAINT rail_credentials_pkey PRIMARY KEY (account_id, rail);
ALTER TABLE rail_credentials ADD CONSTRAINT rail_credentials_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE rail_credentials ADD CONSTRAINT rail_credentials_rail_check CHECK ((rail = 'paypal'::text));

CREATE TABLE referral_sources (
  account_id bigint NOT NULL,
  referral_id bigint NOT NULL,
  campaign_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  referrer text,
  utm_source text,
  utm_medium text,
  utm_campaign text,
  sub_id text,
  landing_page text,
  device text,
  country text
);
ALTER TABLE referral_sources ADD CONSTRAINT referral_sources_pkey PRIMARY KEY (account_id, referral_id);

CREATE TABLE referrals (
  account_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  campaign_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  customer_ref text NOT NULL,
  subscription_ref text,
  status text NOT NULL,
  is_test boolean NOT NULL DEFAULT false,
  occurred_at timestamp(3) with time zone NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  reviewed_at timestamp(3) with time zone,
  rejection_reason text,
  rejection_is_shared boolean NOT NULL DEFAULT false,
  review_periods tstzmultirange
);
ALTER TABLE referrals ADD CONSTRAINT referrals_pkey PRIMARY KEY (account_id, id);
ALTER TABLE referrals ADD CONSTRAINT referrals_account_id_affiliate_id_fkey FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates(account_id, id);
ALTER TABLE referrals ADD CONSTRAINT referrals_account_id_campaign_id_fkey FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id);
ALTER TABLE referrals ADD CONSTRAINT referrals_customer_known UNIQUE (account_id, campaign_id, customer_ref);
ALTER TABLE referrals ADD CONSTRAINT referrals_status_check CHECK ((status = ANY (ARRAY['pending_review'::text, 'approved'::text, 'rejected'::text])));
CREATE INDEX referrals_by_affiliate ON public.referrals USING btree (account_id, affiliate_id, id);
CREATE INDEX referrals_by_campaign ON public.referrals USING btree (account_id, campaign_id, id);
CREATE INDEX referrals_by_customer ON public.referrals USING btree (account_id, customer_ref, id);
CREATE INDEX referrals_by_status ON public.referrals USING btree (account_id, status, id);
CREATE INDEX referrals_by_time ON public.referrals USING btree (account_id, occurred_at);
CREATE INDEX referrals_of_tests ON public.referrals USING btree (account_id, id) WHERE is_test;
CREATE TRIGGER insight_referral_added AFTER INSERT ON public.referrals FOR EACH ROW WHEN ((new.occurred_at < (clock_timestamp() - '01:00:00'::interval))) EXECUTE FUNCTION insight_mark_moment();
CREATE TRIGGER insight_referral_changed AFTER UPDATE OF status, is_test, campaign_id, affiliate_id ON public.referrals FOR EACH ROW WHEN ((((old.status = 'rejected'::text) <> (new.status = 'rejected'::text)) OR (old.is_test <> new.is_test) OR (old.campaign_id <> new.campaign_id) OR (old.affiliate_id <> new.affiliate_id))) EXECUTE FUNCTION insight_mark_referral();
CREATE TRIGGER referral_review_begins BEFORE UPDATE OF status ON public.referrals FOR EACH ROW WHEN (((old.status <> 'pending_review'::text) AND (new.status = 'pending_review'::text))) EXECUTE FUNCTION referral_review_begins();

CREATE TABLE refund_voids (
  account_id bigint NOT NULL,
  refund_id bigint NOT NULL,
  commission_id bigint NOT NULL
);
ALTER TABLE refund_voids ADD CONSTRAINT refund_voids_pkey PRIMARY KEY (account_id, refund_id, commission_id);
ALTER TABLE refund_voids ADD CONSTRAINT refund_voids_account_id_commission_id_fkey FOREIGN KEY (account_id, commission_id) REFERENCES commissions(account_id, id);
ALTER TABLE refund_voids ADD CONSTRAINT refund_voids_account_id_refund_id_fkey FOREIGN KEY (account_id, refund_id) REFERENCES refunds(account_id, id);

CREATE TABLE refunds (
  account_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  external_id text NOT NULL,
  sale_id bigint NOT NULL,
  amount_minor bigint NOT NULL,
  occurred_at timestamp(3) with time zone NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  reversed_at timestamp(3) with time zone
);
ALTER TABLE refunds ADD CONSTRAINT refunds_pkey PRIMARY KEY (account_id, id);
ALTER TABLE refunds ADD CONSTRAINT refunds_account_id_sale_id_fkey FOREIGN KEY (account_id, sale_id) REFERENCES sales(account_id, id);
ALTER TABLE refunds ADD CONSTRAINT refunds_amount_minor_check CHECK (((amount_minor >= 1) AND (amount_minor <= '9007199254740991'::bigint)));
ALTER TABLE refunds ADD CONSTRAINT refunds_external_id_known UNIQUE (account_id, external_id);
CREATE INDEX refunds_by_sale ON public.refunds USING btree (account_id, sale_id);
CREATE INDEX refunds_by_time ON public.refunds USING btree (account_id, occurred_at);
CREATE TRIGGER insight_refund_added AFTER INSERT ON public.refunds FOR EACH ROW WHEN ((new.occurred_at < (clock_timestamp() - '01:00:00'::interval))) EXECUTE FUNCTION insight_mark_moment();
CREATE TRIGGER insight_refund_changed AFTER UPDATE OF reversed_at ON public.refunds FOR EACH ROW WHEN ((new.occurred_at < (clock_timestamp() - '01:00:00'::interval))) EXECUTE FUNCTION insight_mark_moment();

CREATE TABLE sales (
  account_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  external_id text NOT NULL,
  customer_ref text NOT NULL,
  subscription_ref text,
  referral_id bigint,
  amount_minor bigint NOT NULL,
  currency text NOT NULL,
  occurred_at timestamp(3) with time zone NOT NULL,
  awaits_rate boolean NOT NULL DEFAULT false,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  unearned_reason text,
  assignment integer NOT NULL DEFAULT 0,
  replaced_by text,
  is_test boolean NOT NULL DEFAULT false,
  reported_campaign_id bigint
);
ALTER TABLE sales ADD CONSTRAINT sales_pkey PRIMARY KEY (account_id, id);
ALTER TABLE sales ADD CONSTRAINT sales_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE sales ADD CONSTRAINT sales_account_id_referral_id_fkey FOREIGN KEY (account_id, referral_id) REFERENCES referrals(account_id, id);
ALTER TABLE sales ADD CONSTRAINT sales_amount_minor_check CHECK (((amount_minor >= 0) AND (amount_minor <= '9007199254740991'::bigint)));
ALTER TABLE sales ADD CONSTRAINT sales_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text));
ALTER TABLE sales ADD CONSTRAINT sales_external_id_known UNIQUE (account_id, external_id);
CREATE INDEX sales_awaiting_rate ON public.sales USING btree (account_id, id) WHERE awaits_rate;
CREATE INDEX sales_by_referral ON public.sales USING btree (account_id, referral_id, occurred_at);
CREATE INDEX sales_by_time ON public.sales USING btree (account_id, occurred_at);
CREATE INDEX sales_of_nobody ON public.sales USING btree (account_id, customer_ref, occurred_at) WHERE (referral_id IS NULL);
CREATE TRIGGER insight_sale_added AFTER INSERT ON public.sales FOR EACH ROW WHEN (((new.referral_id IS NOT NULL) AND (new.occurred_at < (clock_timestamp() - '01:00:00'::interval)))) EXECUTE FUNCTION insight_mark_sale();
CREATE TRIGGER insight_sale_changed AFTER UPDATE OF referral_id ON public.sales FOR EACH ROW WHEN (((old.referral_id IS DISTINCT FROM new.referral_id) AND (new.occurred_at < (clock_timestamp() - '01:00:00'::interval)))) EXECUTE FUNCTION insight_mark_sale();
CREATE TRIGGER insight_sale_replaced AFTER UPDATE OF replaced_by ON public.sales FOR EACH ROW WHEN (((new.referral_id IS NOT NULL) AND (old.replaced_by IS DISTINCT FROM new.replaced_by))) EXECUTE FUNCTION insight_mark_replaced();

CREATE TABLE schema_migrations (
  version integer NOT NULL,
  name text NOT NULL,
  checksum text NOT NULL,
  applied_at timestamp(3) with time zone NOT NULL DEFAULT now()
);
ALTER TABLE schema_migrations ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (version);

CREATE TABLE sessions (
  token_hash bytea NOT NULL,
  user_id bigint NOT NULL,
  address text,
  user_agent text,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  last_seen_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  expires_at timestamp(3) with time zone NOT NULL
);
ALTER TABLE sessions ADD CONSTRAINT sessions_pkey PRIMARY KEY (token_hash);
ALTER TABLE sessions ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);
CREATE INDEX sessions_by_expiry ON public.sessions USING btree (expires_at);
CREATE INDEX sessions_by_user ON public.sessions USING btree (user_id);

CREATE TABLE setup_codes (
  code_hash bytea NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now()
);
ALTER TABLE setup_codes ADD CONSTRAINT setup_codes_pkey PRIMARY KEY (code_hash);

CREATE TABLE signal_checks (
  account_id bigint NOT NULL,
  checked_at timestamp(3) with time zone NOT NULL
);
ALTER TABLE signal_checks ADD CONSTRAINT signal_checks_pkey PRIMARY KEY (account_id);
ALTER TABLE signal_checks ADD CONSTRAINT signal_checks_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);

CREATE TABLE signals (
  account_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  affiliate_id bigint NOT NULL,
  kind text NOT NULL,
  campaign_id bigint,
  score smallint NOT NULL,
  evidence jsonb NOT NULL,
  weight integer NOT NULL,
  status text NOT NULL DEFAULT 'open'::text,
  decision text,
  reason text,
  decided_weight integer,
  opened_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  decided_at timestamp(3) with time zone
);
ALTER TABLE signals ADD CONSTRAINT signals_pkey PRIMARY KEY (account_id, id);
ALTER TABLE signals ADD CONSTRAINT signals_account_id_affiliate_id_fkey FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates(account_id, id);
ALTER TABLE signals ADD CONSTRAINT signals_account_id_campaign_id_fkey FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id);
ALTER TABLE signals ADD CONSTRAINT signals_check CHECK (((status = 'decided'::text) = (decision IS NOT NULL)));
ALTER TABLE signals ADD CONSTRAINT signals_check1 CHECK ((((decision IS NULL) = (decided_at IS NULL)) AND ((decision IS NULL) = (decided_weight IS NULL))));
ALTER TABLE signals ADD CONSTRAINT signals_decision_check CHECK ((decision = ANY (ARRAY['hold'::text, 'reject'::text, 'block'::text, 'dismiss'::text])));
ALTER TABLE signals ADD CONSTRAINT signals_kind_check CHECK ((kind = ANY (ARRAY['click_velocity'::text, 'conversion_rate'::text, 'shared_network'::text, 'shared_payout_address'::text, 'disposable_email'::text, 'paid_search'::text, 'instant_sales'::text])));
ALTER TABLE signals ADD CONSTRAINT signals_one_per_kind UNIQUE NULLS NOT DISTINCT (account_id, affiliate_id, kind, campaign_id);
ALTER TABLE signals ADD CONSTRAINT signals_score_check CHECK (((score >= 1) AND (score <= 100)));
ALTER TABLE signals ADD CONSTRAINT signals_status_check CHECK ((status = ANY (ARRAY['open'::text, 'decided'::text, 'closed'::text])));
ALTER TABLE signals ADD CONSTRAINT signals_weight_check CHECK ((weight > 0));
CREATE INDEX signals_by_score ON public.signals USING btree (account_id, status, score, id);

CREATE TABLE terms_acceptances (
  account_id bigint NOT NULL,
  affiliate_id bigint NOT NULL,
  campaign_id bigint NOT NULL,
  version integer NOT NULL,
  accepted_at timestamp(3) with time zone NOT NULL
);
ALTER TABLE terms_acceptances ADD CONSTRAINT terms_acceptances_pkey PRIMARY KEY (account_id, affiliate_id, campaign_id, version);
ALTER TABLE terms_acceptances ADD CONSTRAINT terms_acceptances_account_id_affiliate_id_fkey FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates(account_id, id);
ALTER TABLE terms_acceptances ADD CONSTRAINT terms_acceptances_account_id_campaign_id_version_fkey FOREIGN KEY (account_id, campaign_id, version) REFERENCES campaign_terms(account_id, campaign_id, version);
ALTER TABLE terms_acceptances ADD CONSTRAINT terms_acceptances_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);

CREATE TABLE test_payout_entries (
  account_id bigint NOT NULL,
  commission_id bigint NOT NULL,
  test_payout_id bigint NOT NULL
);
ALTER TABLE test_payout_entries ADD CONSTRAINT test_payout_entries_pkey PRIMARY KEY (account_id, commission_id);
ALTER TABLE test_payout_entries ADD CONSTRAINT test_payout_entries_account_id_commission_id_fkey FOREIGN KEY (account_id, commission_id) REFERENCES commissions(account_id, id);
ALTER TABLE test_payout_entries ADD CONSTRAINT test_payout_entries_account_id_test_payout_id_fkey FOREIGN KEY (account_id, test_payout_id) REFERENCES test_payouts(account_id, id);
CREATE INDEX test_payout_entries_by_payout ON public.test_payout_entries USING btree (account_id, test_payout_id);

CREATE TABLE test_payouts (
  account_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  campaign_id bigint NOT NULL,
  currency text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now()
);
ALTER TABLE test_payouts ADD CONSTRAINT test_payouts_pkey PRIMARY KEY (account_id, id);
ALTER TABLE test_payouts ADD CONSTRAINT test_payouts_account_id_campaign_id_fkey FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns(account_id, id);

CREATE TABLE token_aliases (
  account_id bigint NOT NULL,
  token text NOT NULL,
  affiliate_id bigint NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now()
);
ALTER TABLE token_aliases ADD CONSTRAINT token_aliases_pkey PRIMARY KEY (account_id, token);
ALTER TABLE token_aliases ADD CONSTRAINT token_aliases_account_id_affiliate_id_fkey FOREIGN KEY (account_id, affiliate_id) REFERENCES affiliates(account_id, id);
CREATE INDEX token_aliases_by_affiliate ON public.token_aliases USING btree (account_id, affiliate_id, token);

CREATE TABLE tracked_leads (
  account_id bigint NOT NULL,
  email_hash bytea NOT NULL,
  click_id bigint NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  email text,
  email_key text
);
ALTER TABLE tracked_leads ADD CONSTRAINT tracked_leads_pkey PRIMARY KEY (account_id, email_hash);
ALTER TABLE tracked_leads ADD CONSTRAINT tracked_leads_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
CREATE INDEX tracked_leads_by_age ON public.tracked_leads USING btree (created_at);
CREATE INDEX tracked_leads_by_click ON public.tracked_leads USING btree (account_id, click_id);
CREATE INDEX tracked_leads_readable ON public.tracked_leads USING btree (account_id, click_id) WHERE (email IS NOT NULL);
CREATE TRIGGER insight_lead_changed AFTER UPDATE OF created_at ON public.tracked_leads FOR EACH ROW WHEN ((old.created_at < (clock_timestamp() - '01:00:00'::interval))) EXECUTE FUNCTION insight_mark_moment();

CREATE TABLE tracking_settings (
  account_id bigint NOT NULL,
  sites text[] NOT NULL DEFAULT '{}'::text[],
  shares_subdomains boolean NOT NULL DEFAULT false
);
ALTER TABLE tracking_settings ADD CONSTRAINT tracking_settings_pkey PRIMARY KEY (account_id);
ALTER TABLE tracking_settings ADD CONSTRAINT tracking_settings_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE tracking_settings ADD CONSTRAINT tracking_settings_sites_check CHECK ((cardinality(sites) <= 50));

CREATE TABLE users (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  email text NOT NULL,
  email_key text NOT NULL,
  password_hash text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  name text
);
ALTER TABLE users ADD CONSTRAINT users_pkey PRIMARY KEY (id);
ALTER TABLE users ADD CONSTRAINT users_email_key_key UNIQUE (email_key);
ALTER TABLE users ADD CONSTRAINT users_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255)));

CREATE TABLE webhook_endpoints (
  account_id bigint NOT NULL,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  url text NOT NULL,
  events text[] NOT NULL,
  status text NOT NULL,
  sealed_secret bytea,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  deleted_at timestamp(3) with time zone,
  failing_since timestamp(3) with time zone,
  listens_until timestamp(3) with time zone
);
ALTER TABLE webhook_endpoints ADD CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (account_id, id);
ALTER TABLE webhook_endpoints ADD CONSTRAINT webhook_endpoints_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
ALTER TABLE webhook_endpoints ADD CONSTRAINT webhook_endpoints_events_check CHECK ((cardinality(events) > 0));
ALTER TABLE webhook_endpoints ADD CONSTRAINT webhook_endpoints_secret_until_deleted CHECK (((sealed_secret IS NULL) = (deleted_at IS NOT NULL)));
ALTER TABLE webhook_endpoints ADD CONSTRAINT webhook_endpoints_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text])));
ALTER TABLE webhook_endpoints ADD CONSTRAINT webhook_endpoints_url_check CHECK ((length(url) <= 2048));

CREATE OR REPLACE FUNCTION public.admit_requests(given_key_hash bytea, allowed integer, wanted integer, usable_for interval, OUT account_id bigint, OUT api_key_id bigint, OUT granted integer, OUT used integer, OUT frees_in_ms integer)
 RETURNS SETOF record
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
  owner_id bigint;
  key_id bigint;
  moment timestamptz;
  in_window integer;
  first_leaves timestamptz;
  given integer;
BEGIN
  SELECT k.account_id, k.id INTO owner_id, key_id
    FROM api_keys k WHERE k.key_hash = given_key_hash AND k.revoked_at IS NULL;
  IF NOT FOUND THEN
    RETURN;
  END IF;

  -- One admission at a time for one key. An advisory lock and not a row lock: that would write to the log of
  -- a durable table on every request. The statements below see what the holder before us committed.
  PERFORM pg_advisory_xact_lock(hashtextextended('admission', key_id));
  moment := clock_timestamp();

  -- The second condition forgets a future that a clock set back has left behind.
  DELETE FROM api_key_admissions a
   WHERE a.account_id = owner_id AND a.api_key_id = key_id
     AND (a.counts_until <= moment OR a.counts_until > moment + interval '60 seconds' + usable_for + interval '1 second');
  SELECT coalesce(sum(a.slots), 0), min(a.counts_until) INTO in_window, first_leaves
    FROM api_key_admissions a WHERE a.account_id = owner_id AND a.api_key_id = key_id;

  given := greatest(0, least(wanted, allowed - in_window));
  IF given > 0 THEN
    INSERT INTO api_key_admissions (account_id, api_key_id, slots, counts_until)
    VALUES (owner_id, key_id, given, moment + usable_for + interval '60 seconds');
    -- Once a minute is enough to tell a key in use from a forgotten one.
    UPDATE api_keys k SET last_used_at = moment
     WHERE k.account_id = owner_id AND k.id = key_id
       AND (k.last_used_at IS NULL OR k.last_used_at < moment - interval '1 minute');
  END IF;

  account_id := owner_id;
  api_key_id := key_id;
  granted := given;
  used := in_window + given;
  frees_in_ms := ceil(extract(epoch FROM coalesce(first_leaves, moment + interval '60 seconds') - moment) * 1000);
  RETURN NEXT;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_log_only_grows()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION 'the audit log only grows';
END $function$;

CREATE OR REPLACE FUNCTION public.commissions_only_move_forward()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  before commissions := OLD;
BEGIN
  IF TG_OP = 'DELETE' THEN
    RAISE EXCEPTION 'commission % cannot be deleted: the ledger only grows', OLD.id;
  END IF;
  before.status := NEW.status;
  IF before IS DISTINCT FROM NEW THEN
    RAISE EXCEPTION 'commission % cannot be changed: a correction is a new entry', OLD.id;
  END IF;
  IF OLD.status <> NEW.status
     AND (OLD.status, NEW.status) NOT IN (('pending', 'approved'), ('pending', 'void'), ('approved', 'paid')) THEN
    RAISE EXCEPTION 'commission % cannot go from % to %', OLD.id, OLD.status, NEW.status;
  END IF;
  IF NEW.status = 'void' AND OLD.status <> 'void' THEN
    NEW.voided_at := now();
  END IF;
  IF NEW.status = 'approved' AND OLD.status <> 'approved' THEN
    NEW.approved_at := now();
  END IF;
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION public.day_start(day date, zone text)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
AS $function$
  SELECT CASE WHEN (first.at AT TIME ZONE zone) = day::timestamp THEN least(first.at, last.at) ELSE last.at END
    FROM (SELECT day::timestamp AT TIME ZONE zone AS at) AS last,
         LATERAL (SELECT last.at - interval '24 hours' AS at) AS before,
         LATERAL (SELECT ((before.at AT TIME ZONE 'UTC') + (day::timestamp - (before.at AT TIME ZONE zone))) AT TIME ZONE 'UTC' AS at) AS first
$function$;

CREATE OR REPLACE FUNCTION public.decoded_parameter(value text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE STRICT
AS $function$
DECLARE
  spaced text := replace(value, '+', ' ');
  bytes bytea := '';
  part text;
BEGIN
  IF spaced !~ '%[0-9a-fA-F]{2}' THEN
    RETURN spaced;
  END IF;
  FOR part IN SELECT m[1] FROM regexp_matches(spaced, '(%[0-9a-fA-F]{2}|[^%]+|%)', 'g') m LOOP
    bytes := bytes || CASE WHEN part ~ '^%[0-9a-fA-F]{2}$' THEN decode(substr(part, 2), 'hex') ELSE convert_to(part, 'UTF8') END;
  END LOOP;
  RETURN convert_from(bytes, 'UTF8');
EXCEPTION WHEN character_not_in_repertoire OR untranslatable_character THEN
  RETURN value;
END $function$;

CREATE OR REPLACE FUNCTION public.delete_attempts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  DELETE FROM delivery_attempts a USING removed r WHERE a.account_id = r.account_id AND a.delivery_id = r.id;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.drop_click_months(retention_days integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '3s'
AS $function$
DECLARE
  old regclass;
BEGIN
  -- Two processes that did this at once would deadlock, or find the table made or gone under their hands.
  PERFORM pg_advisory_xact_lock(hashtextextended('months of clicks', 0));
  FOR old IN
    SELECT inhrelid::regclass FROM pg_inherits
     WHERE inhparent = 'clicks'::regclass AND inhrelid <> 'clicks_unfiled'::regclass
       -- clicks_2026_01 ends where February begins.
       AND (to_date(right(inhrelid::regclass::text, 7), 'YYYY_MM') + interval '1 month') AT TIME ZONE 'UTC'
           <= now() - make_interval(days => retention_days)
  LOOP
    EXECUTE format('DROP TABLE %s', old);
  END LOOP;
  DELETE FROM clicks_unfiled WHERE created_at <= now() - make_interval(days => retention_days);
END $function$;

CREATE OR REPLACE FUNCTION public.event_body(id bigint, kind text, at timestamp with time zone, data text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT format('{"id":%s,"type":"%s","created_at":"%s","data":%s}', id, kind,
                to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), data)
$function$;

CREATE OR REPLACE FUNCTION public.insight_earnings_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  changes text := CASE TG_OP
    WHEN 'INSERT' THEN 'SELECT 1 AS sign, a.* FROM added a'
    WHEN 'DELETE' THEN 'SELECT -1 AS sign, r.* FROM removed r'
    ELSE 'SELECT 1 AS sign, a.* FROM added a UNION ALL SELECT -1, r.* FROM removed r' END;
BEGIN
  EXECUTE format($sum$
    INSERT INTO insight_earning_days AS t (account_id, day, campaign_id, currency, conversions, customers, sales, revenue_minor, refunds,
                                           refunded_minor, commissions, commissions_minor)
    SELECT c.account_id, c.day, c.campaign_id, c.currency, sum(c.sign * c.conversions), sum(c.sign * c.customers), sum(c.sign * c.sales),
           sum(c.sign * c.revenue_minor), sum(c.sign * c.refunds), sum(c.sign * c.refunded_minor), sum(c.sign * c.commissions),
           sum(c.sign * c.commissions_minor)
      FROM (%s) c GROUP BY 1, 2, 3, 4
    ON CONFLICT (account_id, day, campaign_id, currency) DO UPDATE
      SET conversions = t.conversions + excluded.conversions, customers = t.customers + excluded.customers,
          sales = t.sales + excluded.sales, revenue_minor = t.revenue_minor + excluded.revenue_minor,
          refunds = t.refunds + excluded.refunds, refunded_minor = t.refunded_minor + excluded.refunded_minor,
          commissions = t.commissions + excluded.commissions,
          commissions_minor = t.commissions_minor + excluded.commissions_minor$sum$, changes);
  EXECUTE format($sum$
    INSERT INTO insight_totals AS t (account_id, until, affiliate_id, campaign_id, conversions, customers, sales, revenue_minor, refunds,
                                     refunded_minor, commissions, commissions_minor, currency)
    SELECT c.account_id, d.until, c.affiliate_id, c.campaign_id, sum(c.sign * c.conversions), sum(c.sign * c.customers),
           sum(c.sign * c.sales), sum(c.sign * c.revenue_minor), sum(c.sign * c.refunds), sum(c.sign * c.refunded_minor),
           sum(c.sign * c.commissions), sum(c.sign * c.commissions_minor), c.currency
      FROM (%1$s) c JOIN insight_total_days d ON d.account_id = c.account_id AND d.until >= c.day
     WHERE d.until >= (SELECT min(o.day) FROM (%1$s) o)
     GROUP BY 1, 2, 3, 4, c.currency
    ON CONFLICT (account_id, until, affiliate_id, campaign_id, currency) DO UPDATE
      SET conversions = t.conversions + excluded.conversions, customers = t.customers + excluded.customers,
          sales = t.sales + excluded.sales, revenue_minor = t.revenue_minor + excluded.revenue_minor,
          refunds = t.refunds + excluded.refunds, refunded_minor = t.refunded_minor + excluded.refunded_minor,
          commissions = t.commissions + excluded.commissions,
          commissions_minor = t.commissions_minor + excluded.commissions_minor$sum$, changes);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.insight_mark_moment()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  IF TG_TABLE_NAME IN ('refunds', 'referrals') THEN
    INSERT INTO insight_marks (account_id, at, with_visits) VALUES (NEW.account_id, NEW.occurred_at, TG_TABLE_NAME = 'referrals');
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO insight_marks (account_id, at, with_visits) VALUES (OLD.account_id, OLD.created_at, TG_TABLE_NAME = 'tracked_leads');
    IF TG_TABLE_NAME = 'commissions' THEN
      INSERT INTO insight_marks (account_id, at, with_visits)
      SELECT c.account_id, c.created_at, false FROM commissions c
       WHERE OLD.entry_type = 'adjustment' AND OLD.clawback_of IS NULL
         AND c.account_id = OLD.account_id AND c.referral_id = OLD.referral_id AND c.sale_id = OLD.sale_id AND c.id > OLD.id
         AND c.entry_type = 'adjustment' AND c.clawback_of IS NULL AND c.status <> 'void'
         AND c.created_at < clock_timestamp() - interval '1 hour';
    END IF;
  ELSE
    INSERT INTO insight_marks (account_id, at, with_visits) VALUES (NEW.account_id, NEW.created_at, false);
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.insight_mark_referral()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  INSERT INTO insight_marks (account_id, referral_id, with_visits) VALUES (NEW.account_id, NEW.id, true);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.insight_mark_replaced()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  INSERT INTO insight_marks (account_id, referral_id, with_visits) VALUES (NEW.account_id, NEW.referral_id, true);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.insight_mark_sale()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  INSERT INTO insight_marks (account_id, at, referral_id, with_visits) VALUES (NEW.account_id, NEW.occurred_at, NEW.referral_id, false);
  IF TG_OP = 'UPDATE' AND OLD.referral_id IS NOT NULL THEN
    INSERT INTO insight_marks (account_id, at, referral_id, with_visits) VALUES (OLD.account_id, OLD.occurred_at, OLD.referral_id, false);
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.insight_open_day_changes()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  UPDATE insight_accounts s SET open_has_changed = true
   WHERE s.open_until IS NOT NULL AND NOT s.open_has_changed
     AND EXISTS (
       SELECT 1 FROM removed r CROSS JOIN LATERAL (SELECT s.open_until - interval '26 hours' AS at) since
        WHERE r.account_id = s.account_id
          AND (r.at > since.at
               OR EXISTS (SELECT 1 FROM referrals f WHERE f.account_id = r.account_id AND f.id = r.referral_id AND f.occurred_at > since.at)
               OR EXISTS (SELECT 1 FROM sales e WHERE e.account_id = r.account_id AND e.referral_id = r.referral_id AND e.occurred_at > since.at)
               OR EXISTS (SELECT 1 FROM commissions c
                           WHERE c.account_id = r.account_id AND c.referral_id = r.referral_id AND c.created_at > since.at)
               OR EXISTS (SELECT 1 FROM sales e JOIN refunds u ON u.account_id = e.account_id AND u.sale_id = e.id
                           WHERE e.account_id = r.account_id AND e.referral_id = r.referral_id AND u.occurred_at > since.at)));
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.insight_open_day_ends()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  NEW.open_until := NULL;
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION public.insight_visits_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  changes text := CASE TG_OP
    WHEN 'INSERT' THEN 'SELECT 1 AS sign, a.* FROM added a'
    WHEN 'DELETE' THEN 'SELECT -1 AS sign, r.* FROM removed r'
    ELSE 'SELECT 1 AS sign, a.* FROM added a UNION ALL SELECT -1, r.* FROM removed r' END;
BEGIN
  EXECUTE format($sum$
    INSERT INTO insight_visit_days AS t (account_id, day, campaign_id, clicks, unique_clicks, leads)
    SELECT c.account_id, c.day, c.campaign_id, sum(c.sign * c.clicks), sum(c.sign * c.unique_clicks), sum(c.sign * c.leads)
      FROM (%s) c GROUP BY 1, 2, 3
    ON CONFLICT (account_id, day, campaign_id) DO UPDATE
      SET clicks = t.clicks + excluded.clicks, unique_clicks = t.unique_clicks + excluded.unique_clicks,
          leads = t.leads + excluded.leads$sum$, changes);
  EXECUTE format($sum$
    INSERT INTO insight_totals AS t (account_id, until, affiliate_id, campaign_id, clicks, unique_clicks, leads, currency)
    SELECT c.account_id, d.until, c.affiliate_id, c.campaign_id, sum(c.sign * c.clicks), sum(c.sign * c.unique_clicks),
           sum(c.sign * c.leads), 'XXX'
      FROM (%1$s) c JOIN insight_total_days d ON d.account_id = c.account_id AND d.until >= c.day
     WHERE d.until >= (SELECT min(o.day) FROM (%1$s) o)
     GROUP BY 1, 2, 3, 4
    ON CONFLICT (account_id, until, affiliate_id, campaign_id, currency) DO UPDATE
      SET clicks = t.clicks + excluded.clicks, unique_clicks = t.unique_clicks + excluded.unique_clicks,
          leads = t.leads + excluded.leads$sum$, changes);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.note_credit_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  IF NEW.entry_type = 'credit' THEN
    INSERT INTO credit_changes (account_id, commission_id) VALUES (NEW.account_id, NEW.id);
  ELSIF NEW.clawback_of IS NOT NULL THEN
    INSERT INTO credit_changes (account_id, commission_id)
    SELECT c.account_id, c.id FROM commissions c
     WHERE c.account_id = NEW.account_id AND c.id = NEW.clawback_of AND c.entry_type = 'credit';
  ELSIF NEW.sale_id IS NOT NULL THEN
    -- What is given back after an entry was voided stands beside it.
    INSERT INTO credit_changes (account_id, commission_id)
    SELECT c.account_id, c.id FROM commissions c
     WHERE c.account_id = NEW.account_id AND c.sale_id = NEW.sale_id AND c.beneficiary = NEW.beneficiary
       AND c.assignment = NEW.assignment AND c.entry_type = 'credit';
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.prepare_click_months()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '3s'
AS $function$
DECLARE
  month date;
BEGIN
  -- Two processes that did this at once would deadlock, or find the table made or gone under their hands.
  PERFORM pg_advisory_xact_lock(hashtextextended('months of clicks', 0));
  FOR month IN SELECT generate_series(date_trunc('month', now() AT TIME ZONE 'UTC'),
                                      date_trunc('month', now() AT TIME ZONE 'UTC') + interval '2 months', interval '1 month')
  LOOP
    CONTINUE WHEN to_regclass(format('clicks_%s', to_char(month, 'YYYY_MM'))) IS NOT NULL;
    -- A month that already has unfiled clicks stays unfiled: moving them is not worth a lock on the whole table.
    CONTINUE WHEN EXISTS (SELECT 1 FROM clicks_unfiled u
                           WHERE u.created_at >= month::timestamp AT TIME ZONE 'UTC'
                             AND u.created_at < (month + interval '1 month') AT TIME ZONE 'UTC');
    EXECUTE format('CREATE TABLE %I PARTITION OF clicks FOR VALUES FROM (%L) TO (%L)', format('clicks_%s', to_char(month, 'YYYY_MM')),
                   month::timestamp AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
  END LOOP;
END $function$;

CREATE OR REPLACE FUNCTION public.referral_review_begins()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  since tstzmultirange := tstzmultirange(tstzrange(now()::timestamptz(3), NULL));
BEGIN
  IF OLD.reviewed_at IS NOT NULL THEN
    since := since + coalesce(OLD.review_periods, '{(,)}') * tstzmultirange(tstzrange(NULL, OLD.reviewed_at));
  END IF;
  NEW.review_periods := since;
  RETURN NEW;
END $function$;
