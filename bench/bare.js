// The yardstick: node:http and pg with the same statements, and nothing else. No keys, no limits, no validation.
import { createServer } from 'node:http'
import pg from 'pg'

const [host, password] = process.argv.slice(2)
const pool = new pg.Pool({
  host,
  port: 5432,
  user: 'tributary_service',
  password,
  database: 'tributary',
  max: 10,
})

const GET = {
  name: 'get',
  text: `SELECT a.id, a.email, a.name, a.status, a.kind, a.token, a.coupon_code, a.paypal_email, a.tags, a.created_at,
    ARRAY(SELECT e.campaign_id FROM enrolments e WHERE e.account_id = a.account_id AND e.affiliate_id = a.id ORDER BY e.id)
      AS campaign_ids FROM affiliates a WHERE a.account_id = $1 AND a.id = $2`,
}
const SALE = {
  name: 'sale',
  text: `INSERT INTO sales (account_id, external_id, customer_ref, referral_id, amount_minor, currency, occurred_at)
    VALUES (1, $1, $2, 1, $3, 'USD', now()) RETURNING id`,
}
const ENTRY = {
  name: 'entry',
  text: `INSERT INTO commissions (account_id, campaign_id, affiliate_id, referral_id, entry_type, beneficiary, amount_minor,
      currency, payout_amount_minor, payout_currency, status, hold_until, sale_id, rule_version)
    VALUES (1, 1, 1, 1, 'earned', 'affiliate', $1, 'USD', $1, 'USD', 'pending', now() + interval '30 days', $2, 1)
    RETURNING id, created_at`,
}
const EVENT = {
  name: 'event',
  text: `INSERT INTO events (account_id, kind, subject_id, body, created_at) VALUES (1, 'commission.created', $1, $2, now())`,
}

async function sale({ external_id, customer_ref, amount_minor }) {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const { rows: sales } = await client.query({ ...SALE, values: [external_id, customer_ref, amount_minor] })
    const { rows: entries } = await client.query({ ...ENTRY, values: [amount_minor / 5, sales[0].id] })
    await client.query({ ...EVENT, values: [entries[0].id, JSON.stringify(entries[0])] })
    await client.query('COMMIT')
    return entries[0]
  } finally {
    client.release()
  }
}

const server = createServer(async (request, response) => {
  if (request.url.startsWith('/r/')) {
    response.writeHead(302, { location: 'https://shop.example/?via=jane&click_id=1' }).end()
    return
  }
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const answer =
    request.method === 'GET'
      ? (await pool.query({ ...GET, values: [1, 1] })).rows[0]
      : await sale(JSON.parse(Buffer.concat(chunks).toString()))
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
})
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
process.on('disconnect', () => process.exit())
