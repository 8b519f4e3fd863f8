-- What a company gives its affiliates to promote it with: banners, texts and documents. The files are in the database, so that they are in
-- every backup and every process serves them. The program bounds their number and size; the checks below hold whatever it does.
--
-- Only adds: the version before knows nothing of them.

CREATE TABLE creatives (
  account_id bigint NOT NULL REFERENCES accounts,
  id bigint GENERATED ALWAYS AS IDENTITY,
  -- Null if it is for the affiliates of every campaign.
  campaign_id bigint,
  kind text NOT NULL CHECK (kind IN ('banner', 'text', 'document')),
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  text text CHECK (length(text) BETWEEN 1 AND 5000),
  file bytea CHECK (length(file) <= 2097152),
  -- Found from the bytes, never from a name or a header.
  file_type text CHECK (file_type IN ('image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf')),
  -- The start of the file's digest: an address that contains it can be cached for good.
  file_version text,
  width integer,
  height integer,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaigns,
  CHECK ((kind = 'text') = (text IS NOT NULL)),
  CHECK ((kind = 'text') = (file IS NULL)),
  CHECK ((file IS NULL) = (file_type IS NULL) AND (file IS NULL) = (file_version IS NULL)),
  CHECK (kind <> 'banner' OR file_type <> 'application/pdf' AND width IS NOT NULL AND height IS NOT NULL)
);
