// Whether latency is independent of the amount of data: the median latency of one request at a time, with 10 million commissions and
// 1 million affiliates, compared with 10,000 of each.
import { Agent, request } from 'undici'
import { fill } from '../testing/fill.js'
import { median } from './median.js'
import { withService } from './service.js'

const SMALL = { affiliates: 10_000, commissions: 10_000, varied: true }
const LARGE = { affiliates: 1_000_000, commissions: 10_000_000, varied: true }
const TURNS = 20
const IN_ONE_TURN = 15

let sequence = 0
const list = query => () => ({ path: `/api/v1/commissions?limit=100${query}` })

/** The requests: one row, a list with each of its filters, and a sale. */
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
}

const withSize = (size, work) => withService(owner => fill(owner, size), work)

async function timeTaken({ url, keys }, dispatcher, question) {
  const started = performance.now()
  const { path, ...rest } = question
  const answer = await request(url + path, {
    ...rest,
    dispatcher,
    headers: { authorization: `Bearer ${keys[sequence % keys.length]}`, 'content-type': 'application/json' },
  })
  await answer.body.dump()
  if (answer.statusCode >= 300) throw new Error(`${path} returned ${answer.statusCode}`)
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
