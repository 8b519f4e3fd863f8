/** Protects the ledger from its own history: entries with a past date pass its constraints, and its guard is never off. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { Database } from '../../src/db/database.ts'
import { sql } from '../../src/db/sql.ts'
import { insertEntry } from '../../src/money/ledger/entries.ts'
import { stageHistory, writeHistory } from '../../src/money/ledger/history.ts'
import { useOwnScene } from '../harness.ts'

const scene = useOwnScene()
let owner: Database
beforeAll(() => {
  const database = scene.database.service.database as string
  owner = new Database({ ...inject('postgres').owner, database, max: 1 }, error => {
    throw error
  })
})
afterAll(() => owner.close())

const PAST = '2020-02-29T12:00:00.000Z'
const adjustment = (affiliate_id = scene.place.affiliate_id) => ({
  campaign_id: scene.place.campaign_id,
  affiliate_id,
  referral_id: null,
  entry_type: 'adjustment' as const,
  beneficiary: 'affiliate' as const,
  amount_minor: 500n,
  currency: 'USD',
  payout_amount_minor: 500n,
  payout_currency: 'USD',
  status: 'approved' as const,
  hold_until: null,
  description: 'of the past',
})
const entries = () =>
  scene.database.owner.query(`SELECT id, created_at FROM commissions WHERE description = 'of the past'`)

it('a staged entry is backdated and then written under its number', async () => {
  const accountId = scene.account.id
  const id = await owner.transaction(async tx => {
    await stageHistory(tx)
    const entry = await insertEntry(tx, accountId, adjustment())
    expect((await entries()).rows).toEqual([])
    await writeHistory(tx, accountId, async () => {
      await tx.many(sql`UPDATE commissions c SET created_at = ${PAST} WHERE c.account_id = ${accountId}`)
    })
    return entry?.id
  })
  const { rows } = await entries()
  expect(rows.map(row => [Number(row.id), new Date(row.created_at).toISOString()])).toEqual([[id, PAST]])
  const next = await scene.database.db.transaction(tx =>
    insertEntry(tx, accountId, { ...adjustment(), description: 'of today' }),
  )
  expect(next?.id).toBeGreaterThan(id as number)
})

it('while staged, the guard refuses what it refuses in the ledger', async () => {
  const changed = owner.transaction(async tx => {
    await stageHistory(tx)
    await insertEntry(tx, scene.account.id, adjustment())
    await tx.many(sql`UPDATE commissions c SET amount_minor = 1 WHERE c.account_id = ${scene.account.id}`)
  })
  await expect(changed).rejects.toThrow('cannot be changed')
})

it('what the constraints of the ledger refuse is not written', async () => {
  const written = owner.transaction(async tx => {
    await stageHistory(tx)
    await insertEntry(tx, scene.account.id, adjustment(999_999))
    await writeHistory(tx, scene.account.id, async () => {})
  })
  await expect(written).rejects.toThrow('commissions_account_id_affiliate_id_fkey')
})

it.each([
  ['commissions', '../../src/money/ledger/history.ts'],
  ['refund_voids', '../../src/money/ledger/history.ts'],
  ['audit_log', '../../src/programme/audit/audit-history.store.ts'],
])('every column of %s is written', async (table, file) => {
  const source = readFileSync(new URL(file, import.meta.url), 'utf8')
  const named = new RegExp(`INSERT INTO public\\.${table} \\(([^)]*)\\)`).exec(source)?.[1] ?? ''
  const { rows } = await scene.database.owner.query(
    `SELECT column_name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1`,
    [table],
  )
  expect(
    named
      .split(',')
      .map(name => name.trim())
      .toSorted(),
  ).toEqual(rows.map(row => row.column_name).toSorted())
})
