// Fills account 1 and its campaigns with historical data, set-based, as the owner of the tables. It leaves out what no benchmark
// reads: events, sales and explanations.
//
//   await fill(owner, { affiliates: 100_000, commissions: 1_000_000, clicks: 5_000_000, varied: true })
//
// Affiliate n has the token `token<n>`, referral n the customer `customer-<n>`, and click n belongs to affiliate 1 + n modulo their
// number; there is a referral for every five commissions. Referrals and clicks are spread evenly over the affiliates and over the last year. With `varied`, a tenth of the affiliates are pending, a tenth of the referrals are in
// the second campaign, and a tenth of the commissions are on hold and another tenth void, so that no filter matches everything;
// otherwise everything is approved and in the first campaign.

const COMMISSIONS_PER_REFERRAL = 5
/** The customers that the benchmarks report sales for. */
const FEWEST_REFERRALS = 64

const affiliates = ({ affiliates, varied }) => `
  INSERT INTO affiliates (account_id, email, email_key, status, kind, token, paypal_email, tags)
  SELECT 1, mail, mail, ${varied ? `CASE n % 10 WHEN 3 THEN 'pending' ELSE 'approved' END` : `'approved'`},
         CASE n % 10 WHEN 2 THEN 'customer' ELSE 'affiliate' END, 'token' || n, mail, ARRAY['group' || n % 100]
    FROM generate_series(1, ${affiliates}) n, concat('a', n, '@example.com') mail`

const enrolments =
  'INSERT INTO enrolments (account_id, affiliate_id, campaign_id) SELECT 1, id, 1 FROM affiliates WHERE account_id = 1'

const referrals = ({ affiliates, varied }, count) => `
  INSERT INTO referrals (account_id, campaign_id, affiliate_id, customer_ref, status, occurred_at, created_at)
  SELECT 1, ${varied ? 'CASE n % 10 WHEN 0 THEN 2 ELSE 1 END' : '1'}, 1 + n % ${affiliates}, 'customer-' || n, 'approved', at, at
    FROM generate_series(1, ${count}) n,
         LATERAL (SELECT now() - interval '1 year' * (1 - n::float8 / ${count})) moment (at)`

const commissions = ({ varied }) => `
  INSERT INTO commissions (account_id, campaign_id, affiliate_id, referral_id, entry_type, beneficiary, amount_minor, currency,
                           payout_amount_minor, payout_currency, status, hold_until, created_at)
  SELECT 1, r.campaign_id, r.affiliate_id, r.id, 'earned', 'affiliate', 100 + n, 'USD', 100 + n, 'USD', state.status,
         CASE state.status WHEN 'pending' THEN now() + interval '30 days' END, r.created_at
    FROM referrals r, generate_series(1, ${COMMISSIONS_PER_REFERRAL}) n,
         LATERAL (SELECT ${
           varied
             ? `CASE (r.id + n) % 10 WHEN 0 THEN 'pending' WHEN 1 THEN 'void' ELSE 'approved' END`
             : `'approved'`
         }) state (status)
   WHERE r.account_id = 1`

/**
 * Drops indexes and foreign keys around an insert of millions of rows, which then takes a fraction of the time. They are recreated in the
 * same transaction, so that a running service waits instead of querying tables without indexes.
 */
async function bare(owner, table, insert) {
  const { rows } = await owner.query(
    `SELECT format('ALTER TABLE %I DROP CONSTRAINT %I', $1::text, conname) AS away,
            format('ALTER TABLE %I ADD CONSTRAINT %I %s', $1::text, conname, pg_get_constraintdef(oid)) AS back
       FROM pg_constraint WHERE conrelid = $1::regclass AND contype = 'f'
     UNION ALL
     SELECT format('DROP INDEX %I', relname), replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ')
       FROM pg_index JOIN pg_class ON oid = indexrelid
      WHERE indrelid = $1::regclass AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid)`,
    [table],
  )
  const inserted = async () => {
    await owner.query('BEGIN')
    // Each of a million rows of the past would mark its day as changed; the roll-ups begin anew instead.
    await owner.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`)
    for (const { away } of rows) await owner.query(away)
    await owner.query(insert)
    for (const { back } of rows) await owner.query(back)
    await owner.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`)
    await owner.query('COMMIT')
  }
  // The background work of a running service may be reading the table, and wait for one that is locked here.
  const deadlocks = async error => {
    if (error.code !== '40P01') throw error
    await owner.query('ROLLBACK')
    return bare(owner, table, insert)
  }
  await inserted().catch(deadlocks)
}

/** Twelve months of partitions, as the service has created them by then. */
const CLICK_MONTHS = `
  DO $$
  DECLARE
    month timestamp;
  BEGIN
    FOR month IN SELECT date_trunc('month', now() AT TIME ZONE 'UTC') - interval '1 month' * n FROM generate_series(1, 12) n
    LOOP
      EXECUTE format('CREATE TABLE %I PARTITION OF clicks FOR VALUES FROM (%L) TO (%L)', 'clicks_' || to_char(month, 'YYYY_MM'),
                     month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
    END LOOP;
  END $$`

const clicks = ({ affiliates, clicks }) => `
  INSERT INTO clicks (account_id, campaign_id, affiliate_id, visitor_id, address_hash, is_bot, user_agent, created_at)
  SELECT 1, 1, 1 + n % ${affiliates}, 'visitor-' || n, decode(md5(n::text), 'hex'), false,
         'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0', now() - interval '1 year' * (1 - n::float8 / ${clicks})
    FROM generate_series(1, ${clicks}) n`

/** Fills an empty account. */
export async function fill(owner, size) {
  await owner.query(`SET maintenance_work_mem = '512MB'`)
  await bare(owner, 'affiliates', affiliates(size))
  await bare(owner, 'enrolments', enrolments)
  const count = Math.max(FEWEST_REFERRALS, size.commissions / COMMISSIONS_PER_REFERRAL)
  await bare(owner, 'referrals', referrals(size, count))
  if (size.commissions > 0) await bare(owner, 'commissions', commissions(size))
  if (size.clicks > 0) {
    await owner.query(CLICK_MONTHS)
    await bare(owner, 'clicks', clicks(size))
  }
  await owner.query('DELETE FROM insight_accounts')
  await owner.query('VACUUM ANALYZE')
}
