-- The index of the migration before becomes the primary key of pinned_commissions. Its columns are NOT NULL already, so this reads nothing
-- and takes its lock for a moment. The other table without a key was api_key_admissions.
-- tributary: locks api_key_admissions: it holds one minute of requests
ALTER TABLE pinned_commissions ADD CONSTRAINT pinned_commissions_pkey PRIMARY KEY USING INDEX pinned_commissions_pkey;
ALTER TABLE api_key_admissions ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY;
ALTER TABLE api_key_admissions ADD PRIMARY KEY (account_id, api_key_id, id);
