/** Protects records from gaps: the command that lists all payouts lists all of them, however many there are. */
import { afterEach, expect, it, vi } from 'vitest'
import { printShow } from '../../src/commands/payout-print.ts'
import { useScene } from '../harness.ts'
import { openCampaign } from '../ledger/scene.ts'

const scene = useScene()
const COUNT = 2_345

afterEach(() => vi.restoreAllMocks())

async function printed(options: { campaign?: number; json?: boolean }): Promise<string> {
  let text = ''
  const write = (chunk: unknown, done?: unknown) => {
    text += chunk
    if (typeof done === 'function') done()
    return true
  }
  vi.spyOn(process.stdout, 'write').mockImplementation(write)
  await printShow(scene.database.db, { account: scene.account.id, ...options })
  vi.restoreAllMocks()
  return text
}

it('lists every payout, newest first, also as JSON and of one campaign', async () => {
  const campaign = await openCampaign(scene.database, scene.account.id)
  expect(await printed({ campaign: campaign.id, json: true })).toBe('[]\n')
  expect(await printed({ campaign: campaign.id })).toBe('')
  const { rows } = await scene.database.owner.query(
    `INSERT INTO payouts (account_id, campaign_id, rail, status, currency, total_minor, minimum_payout_minor, cut_off)
     SELECT $1, $2, 'manual', 'canceled', 'USD', n, 0, now() FROM generate_series(1, $3::integer) n RETURNING id::integer`,
    [scene.account.id, campaign.id, COUNT],
  )
  const ids = rows.map(({ id }) => id).toSorted((a, b) => b - a)
  const heads = JSON.parse(await printed({ json: true }))
  expect(heads.map(({ id }: { id: number }) => id)).toEqual(ids)
  expect(heads[0]).toMatchObject({ campaign_id: campaign.id, status: 'canceled', item_count: 0 })
  const lines = (await printed({ campaign: campaign.id })).trimEnd().split('\n')
  expect(lines.map(line => Number(line.split(' ')[0]))).toEqual(ids)
})
