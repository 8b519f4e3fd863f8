// A load generator process: sends requests as fast as its connections allow, or at a pace, for a number of seconds, and reports responses per second and their number.
import { createHmac } from 'node:crypto'
import autocannon from 'autocannon'

/** Sales and clicks cycle through a fixed set of customers and links. */
const FEW = 64

let sequence = 0
/** Round-robin, but not in adjacent order. */
const pick = count => 1 + ((sequence * 7919) % count)

const withKey = ({ keys }) => ({ authorization: `Bearer ${keys[sequence % keys.length]}` })
const json = (job, path, body) => ({
  method: 'POST',
  path,
  headers: { ...withKey(job), 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** Clicks are spread over a year: the newest ones are within every attribution window. */
const recentClick = clicks => clicks - ((sequence >> 1) % Math.floor(clicks / 24))

const click = affiliate => ({
  path: `/r/bench/token${affiliate}`,
  headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' },
})

/** An event of about the size that Stripe sends, signed as Stripe does. */
function event() {
  const created = Math.floor(Date.now() / 1000)
  const line = {
    object: 'line_item',
    amount: 4900,
    currency: 'usd',
    description: 'One month of a plan that has a name',
  }
  const object = {
    ...{
      id: `in_${process.pid}_${sequence}`,
      object: 'invoice',
      customer: `cus_${sequence % FEW}`,
      created,
      livemode: true,
    },
    ...{ status: 'paid', currency: 'usd', total: 4900, total_excluding_tax: 4900, amount_paid: 4900 },
    lines: {
      object: 'list',
      data: Array.from({ length: 20 }, (_, index) => ({ id: `il_${index}`, ...line })),
    },
  }
  const id = `evt_${process.pid}_${sequence}`
  const body = JSON.stringify({
    id,
    object: 'event',
    type: 'invoice.paid',
    created,
    livemode: true,
    data: { object },
  })
  const v1 = createHmac('sha256', 'whsec_of_the_bench').update(`${created}.${body}`).digest('hex')
  const headers = { 'content-type': 'application/json', 'stripe-signature': `t=${created},v1=${v1}` }
  return { method: 'POST', path: '/connect/stripe/1', headers, body }
}

/** The request of each benchmark: a path, or a whole request. */
const requests = {
  get: job => ({ path: `/api/v1/affiliates/${pick(job.affiliates)}`, headers: withKey(job) }),
  list: job => ({
    path: '/api/v1/commissions?limit=100&campaign_id=1&status=approved',
    headers: withKey(job),
  }),
  enrol: job =>
    json(job, '/api/v1/affiliates', {
      email: `bench-${process.pid}-${sequence}@example.com`,
      campaign_id: 1,
    }),
  sale: job =>
    json(job, '/ingest/v1/sales', {
      customer_ref: `customer-${1 + (sequence % FEW)}`,
      external_id: `sale-${process.pid}-${sequence}`,
      amount_minor: 4900,
      currency: 'USD',
    }),
  conversion: job =>
    json(job, '/ingest/v1/conversions', {
      campaign_id: 1,
      customer_ref: `new-${process.pid}-${sequence}`,
      ...(sequence % 2 ? { token: `token${pick(job.affiliates)}` } : { click_id: recentClick(job.clicks) }),
      sale: { external_id: `conversion-${process.pid}-${sequence}`, amount_minor: 4900, currency: 'USD' },
    }),
  click: () => click(1 + (sequence % FEW)),
  connect: event,
  'click-many': ({ affiliates }) => click(1 + Math.floor(Math.random() * affiliates)),
}

process.on('message', async job => {
  const result = await autocannon({
    url: job.url,
    connections: job.connections,
    // As fast as the connections allow, or at a pace.
    ...(job.perSecond && { overallRate: job.perSecond }),
    // For a number of seconds, or a number of requests.
    ...(job.amount ? { amount: job.amount } : { duration: job.seconds }),
    requests: [
      {
        setupRequest: request => {
          sequence++
          return { ...request, ...requests[job.name](job) }
        },
      },
    ],
  })
  const answered = result['2xx'] + result['3xx']
  const failed = result['4xx'] + result['5xx'] + result.errors + result.timeouts
  process.send({ rate: answered / result.duration, answered, failed })
})
process.on('disconnect', () => process.exit())
