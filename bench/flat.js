// Whether latency is independent of the amount of data: the median latency of one request at a time, with 10 million commissions,
// 10 million clicks and 1 million affiliates, compared with about 10,000 of each.
import { Agent, request } from 'undici'
import { fill } from '../testing/fill.js'
import { median } from './median.js'
import { withService } from './service.js'

const SMALL = { affiliates: 10_000, commissions: 10_000, clicks: 12_000, varied: true }
const LARGE = { affiliates: 1_000_000, commissions: 10_000_000, clicks: 10_000_000, varied: true }
const TURNS = 20
const IN_ONE_TURN = 15
const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' }

let sequence = 0
/** Every tenth affiliate is approved for sure, and every affiliate with a referral has earned before: see `testing/fill.js`. */
const anyEarner = ({ affiliates, commissions }) =>
  11 + 10 * ((++sequence * 7919) % (Math.min(affiliates, commissions / 5) / 10 - 1))
/** A click of such an affiliate, within every attribution window: clicks are spread over a year. */
const anyClick = ({ clicks }) => clicks - 10 * ((++sequence * 7919) % Math.floor(clicks / 240))
const conversion = evidence => ({
  method: 'POST',
  path: '/ingest/v1/conversions',
  body: JSON.stringify({
    campaign_id: 1,
    customer_ref: `flat-${sequence}`,
    ...evidence,
    sale: { external_id: `flat-${sequence}`, amount_minor: 4900, currency: 'USD' },
  }),
})
const list = query => () => ({ path: `/api/v1/commissions?limit=100${query}` })

/** The requests: one row, a list with each of its filters, a sale, a conversion by token and by click, and a click. */
const questions = {
  get: ({ affiliates }) => ({ path: `/api/v1/affiliates/${1 + ((++sequence * 7919) % affiliates)}` }),
  list: list(''),
  'list by campaign': list('&campaign_id=1'),
  'list by affiliate': ({ affiliates }) =>
    list(`&affiliate_id=${1 + ((++sequence * 7919) % Math.min(affiliates, 2000))}`)(),
  'list by referral': () => list(`&referral_id=${1 + ((++sequence * 7919) % 2000)}`)(),
  'list by status': list('&status=pending'),
  'list by entry type': list('&entry_type=earned'),
  'list by beneficiary': list('&beneficiary=affiliate'),
  'list by time': list('&created_after=2000-01-01T00:00:00Z'),
  'list by campaign and status': list('&campaign_id=1&status=pending'),
  sale: () => ({
    method: 'POST',
    path: '/ingest/v1/sales',
    body: JSON.stringify({
      customer_ref: `customer-${1 + (++sequence % 2000)}`,
      external_id: `flat-${sequence}`,
      amount_minor: 4900,
      currency: 'USD',
    }),
  }),
  'conversion by token': size => conversion({ token: `token${anyEarner(size)}` }),
  'conversion by click': size => conversion({ click_id: anyClick(size) }),
  'click-many': size => ({ path: `/r/bench/token${anyEarner(size)}`, headers: BROWSER }),
}

const withSize = (size, work) => withService(owner => fill(owner, size), work)

async function timeTaken({ url, keys }, dispatcher, question) {
  const started = performance.now()
  const { path, headers, ...rest } = question
  const answer = await request(url + path, {
    ...rest,
    dispatcher,
    headers: {
      authorization: `Bearer ${keys[sequence % keys.length]}`,
      'content-type': 'application/json',
      ...headers,
    },
  })
  await answer.body.dump()
  if (answer.statusCode >= 400) throw new Error(`${path} returned ${answer.statusCode}`)
  return performance.now() - started
}

export const flat = () =>
  withSize(LARGE, large =>
    withSize(SMALL, async small => {
      const dispatcher = new Agent()
      const results = []
      for (const [what, question] of Object.entries(questions)) {
        const times = { large: [], small: [] }
        for (let turn = 0; turn < TURNS; turn++)
          for (let i = 0; i < IN_ONE_TURN; i++) {
            times.large.push(await timeTaken(large, dispatcher, question(LARGE)))
            times.small.push(await timeTaken(small, dispatcher, question(SMALL)))
          }
        // The first turn is a warm-up.
        const counted = all => median(all.slice(IN_ONE_TURN))
        results.push({ what, ours: counted(times.large), baseline: counted(times.small), unit: 'ms' })
      }
      await dispatcher.close()
      return results
    }),
  )
