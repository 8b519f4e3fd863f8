// A payout of 100,000 affiliates and 1,000,000 commissions as the dashboard creates it: the dry run, then the payout. Compared with the
// single aggregate query that computes the balances.
import { fill } from '../testing/fill.js'
import { signIn } from './dashboard.js'
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

export const payout = () =>
  withService(
    owner => fill(owner, { affiliates: 100_000, commissions: 1_000_000, varied: false }),
    async ({ url, dataDir }) => {
      const ask = await signIn(url)
      const scope = { campaign_id: 1, rail: 'manual' }
      const times = { aggregate: [], preview: [] }
      await withOwner(dataDir, async owner => {
        for (let round = 0; round < ROUNDS; round++) {
          times.aggregate.push((await timed(() => owner.query(AGGREGATE))).seconds)
          times.preview.push(await timed(() => ask(`payouts/preview?${new URLSearchParams(scope)}`)))
        }
      })
      // Only once: undoing it would take longer than creating it.
      const { digest } = times.preview[0].result
      const create = await timed(() => ask('payouts', { ...scope, digest }))
      const preview = median(times.preview.map(({ seconds }) => seconds))
      const baseline = median(times.aggregate)
      return [
        { what: 'dry run', ours: preview, baseline, unit: 's', atMost: 1.5 },
        // Each commission is pinned to its payment, by a row and a unique index: the guarantee that it is paid once.
        { what: 'creation', ours: create.seconds, baseline, unit: 's', atMost: 9 },
      ]
    },
  )
