// The explorer's questions, the overview and the sorted lists at a million commissions and a million clicks of 10,000 affiliates,
// compared with about 10,000 of each: the 99th percentile of one request at a time.
import { fill } from '../testing/fill.js'
import { signIn } from './dashboard.js'
import { withOwner, withService } from './service.js'

const SMALL = { affiliates: 10_000, commissions: 10_000, clicks: 12_000, varied: true }
const LARGE = { affiliates: 10_000, commissions: 1_000_000, clicks: 1_000_000, varied: true }
const ROUNDS = 100
const DAY_MS = 86_400_000

const daysAgo = days => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)
/** Ranges end today, which is always counted from the raw rows. */
const explore = (days, query) => `explore?from=${daysAgo(days - 1)}&to=${daysAgo(0)}&${query}`

/** By what a year or a month is broken down, and filters. */
const questions = {
  'month by day': explore(30, 'by=day'),
  'month by affiliate': explore(30, 'by=affiliate&sort=clicks'),
  'month by device': explore(30, 'by=device'),
  'year by week': explore(365, 'by=week'),
  'year by month, compared with the year before': explore(365, 'by=month&compare=year'),
  'year by campaign': explore(365, 'by=campaign'),
  'year by affiliate': explore(365, 'by=affiliate'),
  'year of a campaign by affiliate': explore(365, 'by=affiliate&campaign_id=1'),
  'year of an affiliate by day': explore(365, 'by=day&affiliate_id=11'),
  'year by referrer': explore(365, 'by=referrer'),
  'affiliates by clicks of the month': 'affiliates?period=last30&sort=clicks',
  'affiliates by commissions of the year': 'affiliates?period=last365&sort=commissions',
  overview: 'overview',
}

/** Filled, rolled up, and analyzed as it would be after a day. */
const withSize = (size, work) =>
  withService(
    owner => fill(owner, size),
    async service => {
      service.run('insight', 'rebuild', '--account', '1')
      await withOwner(service.dataDir, owner => owner.query('VACUUM ANALYZE'))
      return work(await signIn(service.url))
    },
  )

const percentile99 = times => times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1]

async function timeTaken(ask, path) {
  const started = performance.now()
  await ask(path)
  return performance.now() - started
}

export const insight = () =>
  withSize(LARGE, large =>
    withSize(SMALL, async small => {
      const results = []
      for (const [what, path] of Object.entries(questions)) {
        const times = { large: [], small: [] }
        // The first one is a warm-up.
        for (let round = 0; round <= ROUNDS; round++) {
          times.large.push(await timeTaken(large, path))
          times.small.push(await timeTaken(small, path))
        }
        const counted = all => percentile99(all.slice(1))
        results.push({ what, ours: counted(times.large), baseline: counted(times.small), unit: 'ms' })
      }
      return results
    }),
  )
