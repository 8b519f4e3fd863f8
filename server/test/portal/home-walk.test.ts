/** Protects what affiliates believe they have, against whatever may happen to it in any order. */
import { beforeAll, describe, expect, it } from 'vitest'
import { useScene } from '../harness.ts'
import { earnOne, percent } from '../ledger/scene.ts'
import { Chance } from '../ledger/seeded-random.ts'
import { cancelPayout, create, markFailed, markPaid, owe } from '../payouts/ground.ts'
import { type Ground, useEarnings } from './earnings-ground.ts'

const scene = useScene({ TRIBUTARY_TRUST_PROXY: 'true' })
const { ground, figures, takeBack, approve } = useEarnings(scene)

const SEED = Number(process.env.TEST_SEED ?? 20261115)
describe(`adds up after whatever may happen, in any order (seed ${SEED})`, () => {
  const chance = new Chance(SEED)
  let of: Ground
  let payoutId: number | undefined
  const sales: string[] = []
  beforeAll(async () => {
    of = await ground({ hold_days: 5, rewards: [percent(1234)] })
  })
  const steps: Record<string, () => Promise<unknown>> = {
    sale: async () => sales.push((await earnOne(scene, of, 100 + chance.below(9999))).external_id),
    refund: async () => {
      const sale = chance.pick(sales)
      if (sale) await takeBack(sale, 1 + chance.below(300))
    },
    'full refund': async () => {
      const sale = chance.pick(sales)
      if (sale) await takeBack(sale)
    },
    approval: async () => {
      const { data } = await of.jane.ask('listCommissions', { query: { status: 'pending', limit: 100 } })
      const earned = data.filter(({ entry_type }: { entry_type: string }) => entry_type === 'earned')
      await approve(chance.pick<{ id: number }>(earned)?.id)
    },
    adjustment: () => owe(scene, of.campaign, of.affiliate, chance.below(800) - 300 || 1),
    payout: async () => {
      const approved = (await figures(of))[2] as number
      if (payoutId === undefined && approved > 0) payoutId = (await create(scene, of.campaign)).id
    },
    outcome: async () => {
      if (payoutId === undefined) return
      const end = chance.pick([
        () => markPaid(scene, payoutId as number),
        () => markFailed(scene, payoutId as number),
        () => cancelPayout(scene.database.db, scene.account.id, payoutId as number),
      ])
      await end?.()
      payoutId = undefined
    },
  }
  it('in 80 steps', async () => {
    const seen = new Set<string>()
    for (let step = 0; step < 80; step += 1) {
      await steps[chance.pick(Object.keys(steps)) as string]?.()
      const [, ...parts] = await figures(of)
      parts.forEach((part, index) => {
        if (part !== 0) seen.add(String(index))
      })
    }
    expect([...seen].toSorted()).toEqual(['0', '1', '2', '3'])
  })
})
