-- Reports need days, and a day depends on where the company is. Each account has a time zone, UTC until someone sets another, which
-- decides the days of its overview, statements and payout cut-offs.
--
-- day_start is the only place that turns a calendar day into a moment. It runs in PostgreSQL because rows are grouped there: the zone
-- data of Node.js may be of another release, and two sources would disagree about which day a sale near midnight belongs to.
--
-- Only adds: the version before names its columns in every statement, and opens accounts in UTC.

ALTER TABLE accounts ADD COLUMN time_zone text NOT NULL DEFAULT 'UTC';

-- The first moment of a calendar day in a zone. Where clocks skip midnight (Africa/Cairo in April), the day starts at the skip. Where
-- midnight comes twice (America/Havana in November), AT TIME ZONE takes the second; the day starts with the first, which is found with
-- the offset of the day before. On timestamps without a zone, "+ 1 day" is 24 hours whatever zone the session is in.
CREATE FUNCTION day_start(day date, zone text) RETURNS timestamptz LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$
  SELECT CASE WHEN (first.at AT TIME ZONE zone) = day::timestamp THEN least(first.at, last.at) ELSE last.at END
    FROM (SELECT day::timestamp AT TIME ZONE zone AS at) AS last,
         LATERAL (SELECT last.at - interval '24 hours' AS at) AS before,
         LATERAL (SELECT ((before.at AT TIME ZONE 'UTC') + (day::timestamp - (before.at AT TIME ZONE zone))) AT TIME ZONE 'UTC' AS at) AS first
$$;
