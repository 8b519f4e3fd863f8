// A payout of 100,000 affiliates and 1,000,000 commissions as it is made in the dashboard: its dry run, then the payout itself. Beside
// it the one aggregate that finds the balances.
import { fill } from './fill.js'
import { median } from './median.js'
import { withOwner, withService } from './service.js'

const AGGREGATE = `
  SELECT c.affiliate_id, sum(c.payout_amount_minor) FROM commissions c
   WHERE c.account_id = 1 AND c.campaign_id = 1 AND c.status <> 'void' AND c.beneficiary <> 'referee'
     AND NOT EXISTS (SELECT 1 FROM referrals r WHERE r.account_id = c.account_id AND r.id = c.referral_id AND r.is_test)
   GROUP BY c.affiliate_id`
const ROUNDS = 3

async function timed(work) {
  const started = performance.now()
  const result = await work()
  return { seconds: (performance.now() - started) / 1000, result }
}

/** Somebody in front of the dashboard. */
async function signIn(url) {
  const post = body => ({
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const session = await fetch(
    `${url}/dashboard/api/session`,
    post({ email: 'b@example.com', password: 'correct horse' }),
  )
  const cookie = session.headers.get('set-cookie').split(';')[0]
  const { csrf_token } = await (await fetch(`${url}/dashboard/api/session`, { headers: { cookie } })).json()
  return async (path, body) => {
    const { headers, ...change } = body ? post(body) : { headers: {} }
    const response = await fetch(`${url}/dashboard/api/accounts/1/${path}`, {
      ...change,
      headers: { ...headers, cookie, 'tributary-csrf': csrf_token },
    })
    if (!response.ok) throw new Error(`${path} answered ${response.status} ${await response.text()}`)
    return response.json()
  }
}

/** The benchmark. */
export const payout = () =>
  withService(
    owner => fill(owner, { affiliates: 100_000, commissions: 1_000_000, varied: false }),
    async ({ url, dataDir }) => {
      const ask = await signIn(url)
      const scope = { campaign_id: 1, rail: 'manual' }
      const times = { aggregate: [], preview: [], create: [] }
      await withOwner(dataDir, async owner => {
        for (let round = 0; round < ROUNDS; round++) {
          times.aggregate.push((await timed(() => owner.query(AGGREGATE))).seconds)
          const preview = await timed(() => ask(`payouts/preview?${new URLSearchParams(scope)}`))
          const create = await timed(() => ask('payouts', { ...scope, digest: preview.result.digest }))
          times.preview.push(preview.seconds)
          times.create.push(create.seconds)
          await ask(`payouts/${create.result.id}/cancel`, {})
          await owner.query('VACUUM ANALYZE')
        }
      })
      const [aggregate, preview, create] = [times.aggregate, times.preview, times.create].map(median)
      return { ours: preview + create, yardstick: aggregate, unit: 's', preview: Number(preview.toFixed(2)) }
    },
  )
