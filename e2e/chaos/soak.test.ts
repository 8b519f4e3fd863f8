/** Row 18: everything that a programme does, concurrently and for a long time, with a million commissions. No errors, and no memory growth. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reportMeasurement, seed } from '../../testing/size.ts'
import { api } from '../support/api.ts'
import { withOwner } from '../support/embedded-sql.ts'
import { checkout, type Env } from '../support/program.ts'
import { createProgramme, type Programme } from '../support/programme.ts'
import { type Service, serve } from '../support/service.ts'
import { newDataDir } from '../support/temporary.ts'
import { until } from '../support/until.ts'
import { Oracle, reportAudit } from './oracle.ts'
import { PaidCampaign } from './paid-campaign.ts'
import { grownMiBPerHour, percentile, type Sample } from './samples.ts'
import { type Answers, startSoakLoad } from './soak-load.ts'
import { drawSoak } from './soak-picture.ts'

const MINUTES = Number(process.env.SOAK_MINUTES ?? 30)
const COMMISSIONS = Number(process.env.SOAK_COMMISSIONS ?? 1_000_000)
const SAMPLE_EVERY_MS = 10_000
const PAYOUT_EVERY_MS = 60_000
/** At this request rate, a leak of 1 KiB per request would be far more. */
const MOST_GROWN_MIB_PER_HOUR = 30
/** Before that the program is warming up, and a linear fit of its memory is meaningless. */
const JUDGED_FROM_MINUTES = 10

/** A year of historical data, in a different campaign than the one under load. */
const past = ({ accountId, campaignId }: Programme) => [
  `INSERT INTO affiliates (account_id, email, email_key, status, kind, token)
   SELECT ${accountId}, mail, mail, 'approved', 'affiliate', 'past' || n
     FROM generate_series(1, ${COMMISSIONS / 50}) n, concat('past', n, '@example.com') mail`,
  `INSERT INTO enrolments (account_id, affiliate_id, campaign_id)
   SELECT account_id, id, ${campaignId} FROM affiliates WHERE account_id = ${accountId}`,
  `INSERT INTO referrals (account_id, campaign_id, affiliate_id, customer_ref, status, occurred_at, created_at)
   SELECT account_id, ${campaignId}, id, concat('past-', id, '-', n), 'approved', at, at
     FROM affiliates, generate_series(1, 10) n, LATERAL (SELECT now() - interval '1 year' * (1 - (id * 10 + n)::float8 / ${COMMISSIONS / 5}) AS at) moment
    WHERE account_id = ${accountId}`,
  `INSERT INTO commissions (account_id, campaign_id, affiliate_id, referral_id, entry_type, beneficiary, amount_minor,
                            currency, payout_amount_minor, payout_currency, status, created_at)
   SELECT account_id, campaign_id, affiliate_id, id, 'earned', 'affiliate', 100 + n, 'USD', 100 + n, 'USD', 'approved', created_at
     FROM generate_series(1, 5) n, referrals WHERE account_id = ${accountId}`,
  ...[
    ['conversion.created', 'referrals'],
    ['commission.created', 'commissions'],
  ].map(
    ([kind, table]) => `
   INSERT INTO events (account_id, id, kind, subject_id, body, created_at)
   SELECT ${accountId}, event, '${kind}', id, event_body(event, '${kind}', created_at, format('{"id":%s}', id)), created_at
     FROM (SELECT nextval('events_id_seq') AS event, id, created_at FROM ${table} WHERE account_id = ${accountId}) past`,
  ),
  'VACUUM ANALYZE',
]

let env: Env
let service: Service
let programme: Programme
let campaign: PaidCampaign
let oracle: Oracle
let cookie: string

beforeAll(async () => {
  oracle = await Oracle.start()
  const dataDir = await newDataDir()
  env = {
    ...oracle.env,
    TRIBUTARY_DATA_DIR: dataDir,
    TRIBUTARY_RATE_LIMIT_PER_MINUTE: '10000000',
    LOG_LEVEL: 'warn',
  }
  service = await serve(env)
  programme = await createProgramme(env)
  await withOwner(dataDir, async owner => {
    for (const statement of past(programme)) await owner.query(statement)
  })
  await oracle.attach(api(service.url, programme.key), env, programme.accountId)
  campaign = await PaidCampaign.open(env, programme.accountId)
  const signedIn = await fetch(`${service.url}/dashboard/api/session`, {
    method: 'POST',
    headers: { origin: service.url, 'content-type': 'application/json' },
    body: JSON.stringify(programme.owner),
  })
  cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? expect.unreachable('Sign-in failed')
}, 1_200_000)
afterAll(() => oracle?.close())

async function memoryMiB(): Promise<number> {
  const status = await readFile(`/proc/${service.pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
}

test(
  `${MINUTES} minutes of everything, seed ${seed}`,
  async () => {
    const load = await startSoakLoad({ url: service.url, programme, campaign, cookie }, oracle)
    const startedAt = Date.now()
    const samples: Sample[] = []
    const errors: string[] = []
    const latencies: Answers['latencies'] = []
    const payouts: number[] = []
    let paidAt = startedAt
    while (Date.now() < startedAt + MINUTES * 60_000) {
      await sleep(SAMPLE_EVERY_MS)
      const answers = load.take()
      errors.push(...answers.errors)
      latencies.push(...answers.latencies)
      const took = answers.latencies.map(({ ms }) => ms)
      samples.push({
        seconds: Math.round((Date.now() - startedAt) / 1000),
        memoryMiB: await memoryMiB(),
        p50Ms: percentile(took, 0.5),
        p99Ms: percentile(took, 0.99),
        requests: took.length,
        errors: answers.errors.length,
      })
      if (Date.now() < paidAt + PAYOUT_EVERY_MS) continue
      paidAt = Date.now()
      payouts.push(await campaign.pay())
    }
    await load.stop()
    errors.push(...load.take().errors)
    await report(samples, errors, latencies)

    const client = api(service.url, programme.key)
    await until('every payout is paid', async () => {
      const statuses = await Promise.all(payouts.map(async id => (await client.payouts.get(id)).status))
      return statuses.every(status => status === 'paid')
    })
    const audit = await oracle.audit(client, env, 60_000)
    const of = `${oracle.acknowledged.length} acknowledged`
    expect(reportAudit(18, audit, of), JSON.stringify(audit)).toBe(true)
    expect(errors).toEqual([])
    expect(service.output.stderr).toBe('')
    if (MINUTES >= JUDGED_FROM_MINUTES) expect(grownMiBPerHour(samples)).toBeLessThan(MOST_GROWN_MIB_PER_HOUR)
  },
  3_600_000 + MINUTES * 60_000,
)

async function report(samples: Sample[], errors: string[], latencies: Answers['latencies']): Promise<void> {
  const requests = samples.reduce((sum, sample) => sum + sample.requests, 0)
  const grown = Math.round(grownMiBPerHour(samples))
  const [first, last] = [samples[0]?.memoryMiB, samples.at(-1)?.memoryMiB]
  reportMeasurement({
    row: 18,
    what: `errors of ${requests} requests in ${MINUTES} minutes`,
    value: errors.length,
    bar: '0',
    holds: errors.length === 0,
  })
  reportMeasurement({
    row: 18,
    what: `memory from ${first} to ${last} MiB, growing in MiB an hour`,
    value: grown,
    bar: `< ${MOST_GROWN_MIB_PER_HOUR}, from ${JUDGED_FROM_MINUTES} minutes on`,
    holds: MINUTES < JUDGED_FROM_MINUTES || grown < MOST_GROWN_MIB_PER_HOUR,
  })
  const kinds = [...new Set(latencies.map(({ what }) => what))].map(what => {
    const took = latencies.filter(one => one.what === what).map(({ ms }) => ms)
    return { what, times: took.length, p50Ms: percentile(took, 0.5), p99Ms: percentile(took, 0.99) }
  })
  console.table(kinds)
  const caption = `${requests.toLocaleString('en')} requests in ${MINUTES} minutes beside ${COMMISSIONS.toLocaleString('en')} commissions, ${errors.length} errors`
  await writeFile(join(checkout, 'docs/images/soak.svg'), drawSoak(samples, caption))
  await writeFile(
    join(import.meta.dirname, 'soak-samples.json'),
    `${JSON.stringify({ seed, kinds, samples }, null, 1)}\n`,
  )
}
