// The baseline: node:http and pg with the same statements, and nothing else. No keys, no limits, no validation, no response schema.
import { createServer } from 'node:http'
import pg from 'pg'

const AFFILIATES = Number(process.argv[3])
const pool = new pg.Pool({ ...JSON.parse(process.argv[2]), max: 10 })
const named = statements =>
  Object.fromEntries(
    Object.entries(statements).map(([name, text]) => [name, values => ({ name, text, values })]),
  )

const sql = named({
  affiliate: `SELECT a.id, a.email, a.name, a.status, a.kind, a.token, a.coupon_code, a.paypal_email, a.tags, a.created_at,
      ARRAY(SELECT e.campaign_id FROM enrolments e WHERE e.account_id = a.account_id AND e.affiliate_id = a.id ORDER BY e.id)
        AS campaign_ids FROM affiliates a WHERE a.account_id = $1 AND a.id = $2`,
  commissions: `SELECT c.id, c.campaign_id, c.affiliate_id, c.referral_id, c.entry_type, c.beneficiary, c.amount_minor,
      c.currency, c.payout_amount_minor, c.payout_currency, c.status, c.hold_until, c.description, c.created_at
      FROM commissions c WHERE c.account_id = $1 AND c.campaign_id = $2 AND c.status = $3 ORDER BY c.id DESC LIMIT $4`,
  newAffiliate: `INSERT INTO affiliates (account_id, email, email_key, status, kind, token, tags)
      VALUES (1, $1, $1, 'pending', 'affiliate', $2, '{}') RETURNING *`,
  newEnrolment: `INSERT INTO enrolments (account_id, affiliate_id, campaign_id) VALUES (1, $1, 1)`,
  newAudit: `INSERT INTO audit_log (account_id, actor_kind, actor_id, actor_name, address, action, subject_id, details)
      VALUES (1, 'api_key', 1, 'bench 0', '127.0.0.1', 'affiliate.create', $1, $2)`,
  newReferral: `INSERT INTO referrals (account_id, campaign_id, affiliate_id, customer_ref, status, occurred_at)
      VALUES (1, 1, $1, $2, 'approved', now()) RETURNING *`,
  newConversion: `INSERT INTO conversions (account_id, campaign_id, customer_ref, referral_id, attribution, occurred_at, sale_id)
      VALUES (1, 1, $1, $2, $3, now(), $4)`,
  newSale: `INSERT INTO sales (account_id, external_id, customer_ref, referral_id, amount_minor, currency, occurred_at)
      VALUES (1, $1, $2, $3, $4, 'USD', now()) RETURNING id`,
  newCommission: `INSERT INTO commissions (account_id, campaign_id, affiliate_id, referral_id, entry_type, beneficiary, amount_minor,
      currency, payout_amount_minor, payout_currency, status, hold_until, description, sale_id, rule_version)
      VALUES (1, 1, $1, $2, 'earned', 'affiliate', $3, 'USD', $3, 'USD', 'pending', now() + interval '30 days', $4, $5, 1) RETURNING *`,
  newEvent: `INSERT INTO events (account_id, kind, subject_id, body, created_at) VALUES (1, $1, $2, $3, now()) RETURNING id`,
  // Without a time at which it is due: the service beside it would process it.
  newBillingEvent: `INSERT INTO connector_events (account_id, connector_id, provider_id, type, occurred_at, body, due_at)
      VALUES (1, 1, $1, $2, now(), $3, NULL) ON CONFLICT ON CONSTRAINT connector_events_once DO NOTHING`,
  newDelivery: `INSERT INTO deliveries (account_id, event_id, endpoint_id, due_at) VALUES (1, $1, 1, now())`,
})

async function transaction(work) {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const result = await work(async statement => (await client.query(statement)).rows[0])
    await client.query('COMMIT')
    return result
  } finally {
    client.release()
  }
}

const enrol = body =>
  transaction(async first => {
    const affiliate = await first(sql.newAffiliate([body.email, `t${Math.random().toString(36).slice(2)}`]))
    await first(sql.newEnrolment([affiliate.id]))
    await first(sql.newAudit([affiliate.id, JSON.stringify(body)]))
    return affiliate
  })

async function publish(first, kind, data) {
  const event = await first(sql.newEvent([kind, data.id, JSON.stringify(data)]))
  await first(sql.newDelivery([event.id]))
}

async function earn(first, referral, { external_id, customer_ref, amount_minor }) {
  const sale = await first(sql.newSale([external_id, customer_ref, referral.id, amount_minor]))
  const commission = await first(
    sql.newCommission([
      ...[referral.affiliate_id, referral.id, amount_minor / 5],
      ...[`Sale ${external_id}`, sale.id],
    ]),
  )
  await publish(first, 'commission.created', commission)
  return { sale, commission }
}

/** Of the customer that `testing/fill.js` made: with one referral for all, its row would be locked by all connections at once. */
function referralOf({ customer_ref }) {
  const id = Number(customer_ref.slice('customer-'.length))
  return { id, affiliate_id: 1 + (id % AFFILIATES) }
}

const sell = body =>
  transaction(async first => ({ commissions: [(await earn(first, referralOf(body), body)).commission] }))

/** An explanation like the service's. Whom the evidence names is known without a query: see `testing/fill.js`. */
function explain({ click_id, token }) {
  const affiliate_id = token ? Number(token.slice('token'.length)) : 1 + (click_id % AFFILIATES)
  return {
    affiliate_id,
    reason: 'Credited to the last valid click before the conversion, within 30 days.',
    model: 'last_click',
    window_days: 30,
    candidates: [
      {
        source: token ? 'token' : 'click',
        affiliate_id,
        click_id: click_id ?? null,
        clicked_at: token ? null : '2026-11-15T12:00:00.000Z',
        outcome: 'won',
        reason: 'The last valid click, 1 day before the conversion.',
      },
    ],
    review: [],
  }
}

const convert = ({ customer_ref, sale: reported, ...evidence }) =>
  transaction(async first => {
    const attribution = explain(evidence)
    const referral = await first(sql.newReferral([attribution.affiliate_id, customer_ref]))
    await publish(first, 'conversion.created', referral)
    const { sale, commission } = await earn(first, referral, { customer_ref, ...reported })
    await first(sql.newConversion([customer_ref, referral.id, JSON.stringify(attribution), sale.id]))
    return { referral, commissions: [commission], attribution }
  })

const writes = {
  '/api/v1/affiliates': enrol,
  '/ingest/v1/sales': sell,
  '/ingest/v1/conversions': convert,
}

async function answer(request) {
  const { url } = request
  if (url.startsWith('/api/v1/affiliates/'))
    return (await pool.query(sql.affiliate([1, Number(url.slice(19))]))).rows[0]
  if (url.startsWith('/api/v1/commissions')) {
    const { rows } = await pool.query(sql.commissions([1, 1, 'approved', 101]))
    return { data: rows.slice(0, 100), has_more: rows.length > 100 }
  }
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  const body = JSON.parse(text)
  if (url.startsWith('/connect/')) {
    await pool.query(sql.newBillingEvent([body.id, body.type, text]))
    return { received: true }
  }
  return writes[url](body)
}

const server = createServer(async (request, response) => {
  if (request.url.startsWith('/r/')) {
    response.writeHead(302, { location: 'https://shop.example/?via=jane&click_id=1' }).end()
    return
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(await answer(request)))
})
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }))
process.on('disconnect', () => process.exit())
