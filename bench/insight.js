// The explorer's questions, the overview and the sorted lists at a million commissions and a million clicks of 10,000 affiliates,
// compared with about 10,000 of each: the 99th percentile of one request at a time. Then the overview again, while clicks and sales arrive.
import { setTimeout as sleep } from 'node:timers/promises'
import { fill } from '../testing/fill.js'
import { lateDay, lateZone } from '../testing/late-in-the-day.js'
import { signIn } from './dashboard.js'
import { median } from './median.js'
import { withOwner, withService } from './service.js'
import { forked, round } from './side-by-side.js'
import { processorMeter, rootsOf } from './usage.js'

const SMALL = { affiliates: 10_000, commissions: 10_000, clicks: 12_000, varied: true }
const LARGE = { affiliates: 10_000, commissions: 1_000_000, clicks: 1_000_000, varied: true }
const ROUNDS = 100

/** Ranges end today, of which the roll-ups lack an hour or two. */
const explore = (days, query) => `explore?from=${lateDay(days - 1)}&to=${lateDay()}&${query}`

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

/** Filled, rolled up, and analyzed as it would be after a day. It is late in the day, at whatever time the benchmark runs. */
const withSize = (size, work) =>
  withService(
    async owner => {
      await fill(owner, size)
      await owner.query('UPDATE accounts SET time_zone = $1', [lateZone])
    },
    async service => {
      service.run('insight', 'rebuild', '--account', '1')
      await withOwner(service.dataDir, owner => owner.query('VACUUM ANALYZE'))
      return work({ ...service, ask: await signIn(service.url), roots: await rootsOf(service) })
    },
  )

const percentile99 = times => times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1]

async function timeTaken({ ask }, path) {
  const started = performance.now()
  await ask(path)
  return performance.now() - started
}

/**
 * The question asked of both in turn, after a warm-up. It reports the processor time too: on a machine that pauses now and then, it varies
 * less than the 99th percentile.
 */
async function compare(large, small, what, path) {
  const [ours, baseline] = [[], []]
  const meters = [large, small].map(({ roots }) => processorMeter(roots))
  for (const each of [large, small]) await timeTaken(each, path)
  for (let turn = 0; turn < ROUNDS; turn++) {
    ours.push(await meters[0].during(() => timeTaken(large, path)))
    baseline.push(await meters[1].during(() => timeTaken(small, path)))
  }
  const perRequest = meters.map(meter => meter.per(ROUNDS))
  return {
    what,
    ours: percentile99(ours),
    baseline: percentile99(baseline),
    unit: 'ms',
    median: Math.round(median(ours)),
    median_of_baseline: Math.round(median(baseline)),
    ...perRequest[0],
    postgres_cpu_ms_of_baseline: perRequest[1].postgres_cpu_ms,
  }
}

/** What arrives at each service in the soak, in a second. */
const PACES = { 'click-many': 20, sale: 4 }
const SOAK_CONNECTIONS = 4
/** Nothing is measured before: the first clicks and sales are what a service compiles its code at, and what their connections plan. */
const WARM_UP_MS = 10_000

/** Runs `work` while clicks and sales arrive at both. */
async function whileBusy(services, work) {
  let isOver = false
  const loads = services.flatMap(({ url, keys }) =>
    Object.entries(PACES).map(([name, perSecond]) => ({
      load: forked('load.js'),
      job: { name, url, keys, perSecond, seconds: 1, connections: SOAK_CONNECTIONS, ...LARGE },
    })),
  )
  const arrivals = loads.map(async ({ load, job }) => {
    while (!isOver) await round(load, job)
  })
  try {
    await sleep(WARM_UP_MS)
    return await work()
  } finally {
    isOver = true
    await Promise.all(arrivals)
    for (const { load } of loads) load.kill()
  }
}

export const insight = () =>
  withSize(LARGE, large =>
    withSize(SMALL, async small => {
      const results = []
      for (const [what, path] of Object.entries(questions))
        results.push(await compare(large, small, what, path))
      results.push(
        await whileBusy([large, small], () =>
          compare(large, small, 'overview while clicks and sales arrive', 'overview'),
        ),
      )
      return results
    }),
  )
