/** Showing the newest lines of a long statement reads no others, and still has the right balances. */
import { expect, it } from 'vitest'
import { readSnapshot } from '../../src/db/snapshot.ts'
import { readNewestLines, type StatementLine, streamStatement } from '../../src/money/ledger/statement.ts'
import { enrolAffiliate } from '../../src/programme/affiliates/enrol-affiliate.ts'
import { useScene } from '../harness.ts'
import { owe } from '../payouts/ground.ts'
import { approvedAffiliate, openCampaign } from './scene.ts'

const scene = useScene()

it('reads the newest lines only, with balances and totals of all, a currency that is not among them included', async () => {
  const euro = await openCampaign(scene.database, scene.account.id, { payout_currency: 'EUR' })
  const dollar = await openCampaign(scene.database, scene.account.id)
  const affiliate = await approvedAffiliate(scene, euro.id)
  const { email } = affiliate
  await enrolAffiliate(scene.database.db, scene.account.id, { email, campaign_id: dollar.id })
  for (const amount of [100, 200]) await owe(scene, euro, affiliate, amount)
  for (const amount of [1, 10, 100, 1000, -1]) await owe(scene, dollar, affiliate, amount)
  const of = [scene.account.id, affiliate.id, 'UTC'] as const
  const all: StatementLine[] = []
  await scene.database.db.transaction(async tx => {
    for await (const some of streamStatement(tx, ...of)) all.push(...some)
  })
  const { lines, totals } = await readSnapshot(scene.database.db, tx => readNewestLines(tx, ...of, 3))
  expect(lines.map(({ balance_minor }) => balance_minor)).toEqual([111, 1111, 1110])
  expect(lines).toEqual(all.slice(-3))
  expect(totals).toEqual([
    { currency: 'EUR', lines: 2, balance_minor: 300, credit_balance_minor: 0 },
    { currency: 'USD', lines: 5, balance_minor: 1110, credit_balance_minor: 0 },
  ])
})
