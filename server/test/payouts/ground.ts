import type { Affiliate, Campaign, Commission, CreateAffiliate } from '@tributary/contract'
import { expect, inject } from 'vitest'
import { currentTime } from '../../src/db/current-time.ts'
import { Database, type Db, type Tx } from '../../src/db/database.ts'
import { adjustBalance } from '../../src/money/commissions/adjust-balance.ts'
import { ledgerInvariants } from '../../src/money/ledger/invariants.ts'
import type { PayableRow } from '../../src/money/ledger/payable.ts'
import { recordCancellation } from '../../src/money/payouts/cancel-payout.ts'
import { createPayout } from '../../src/money/payouts/create-payout.ts'
import { paymentFile, startExport } from '../../src/money/payouts/export-payout.ts'
import { markPayments } from '../../src/money/payouts/mark-payments.ts'
import type { ItemDetail, PayoutHead, SubmissionDetail } from '../../src/money/payouts/payout.ts'
import type { PayoutRequest } from '../../src/money/payouts/payout-scope.ts'
import { type PayoutPreview, previewPayout } from '../../src/money/payouts/preview-payout.ts'
import { settlePayout } from '../../src/money/payouts/settle-payout.ts'
import { showPayout } from '../../src/money/payouts/show-payout.ts'
import { unique } from '../factories.ts'
import type { Scene, TestDatabase } from '../harness.ts'
import { approvedAffiliate, convert, sell } from '../ledger/scene.ts'

export type Names = Partial<Omit<CreateAffiliate, 'coupon_code' | 'campaign_id'>>

/** Adds an approved entry to what an affiliate is owed. */
export const owe = (
  { database, account }: Scene,
  campaign: Pick<Campaign, 'id'>,
  affiliate: Pick<Affiliate, 'id'>,
  amountMinor: number,
): Promise<Commission> =>
  adjustBalance(database.db, account.id, {
    affiliateId: affiliate.id,
    campaignId: campaign.id,
    amountMinor,
    description: 'Owed',
  })

/** An approved affiliate with a PayPal address that is owed these amounts, an entry each. */
export async function owed(
  scene: Scene,
  campaign: Campaign,
  amounts: number[],
  names: Names = {},
): Promise<Affiliate> {
  const paypal_email = `${unique('pay')}@example.com`
  const affiliate = await approvedAffiliate(scene, campaign.id, { paypal_email, ...names })
  for (const amount of amounts) await owe(scene, campaign, affiliate, amount)
  return affiliate
}

/** What a customer of the affiliate earns it by one sale; approved at once unless the campaign holds it. */
export async function earnFor(
  scene: Scene,
  campaign: Campaign,
  affiliate: Pick<Affiliate, 'token'>,
  amount_minor: number,
  extra: { is_test?: boolean; currency?: string } = {},
): Promise<{ external_id: string; customer_ref: string; commissions: Commission[] }> {
  const { currency = campaign.payout_currency, ...flags } = extra
  const customer_ref = unique('customer')
  const won = await convert(scene.api, {
    campaign_id: campaign.id,
    customer_ref,
    token: affiliate.token,
    ...flags,
  })
  expect(won.status).toBe(201)
  const external_id = unique('sale')
  const sold = await sell(scene.api, { customer_ref, external_id, amount_minor, currency })
  expect(sold.status).toBe(201)
  return { external_id, customer_ref, commissions: sold.body.commissions }
}

async function gather<Row>(pages: AsyncGenerator<Row[]>): Promise<Row[]> {
  const rows: Row[] = []
  for await (const page of pages) rows.push(...page)
  return rows
}

type Options = Partial<Omit<PayoutRequest, 'campaignId'>>

/** The whole dry run at once, which the program itself reads in pages. */
export async function preview(
  { database, account }: Scene,
  campaign: Pick<Campaign, 'id'>,
  options: Options = {},
): Promise<PayoutPreview & { rows: PayableRow[] }> {
  const rows: PayableRow[] = []
  const request = { campaignId: campaign.id, rail: 'manual', ...options } as const
  const totals = await previewPayout(database.db, account.id, request, page => {
    rows.push(...page)
  })
  return { ...totals, rows }
}

/** What the dry run says of each affiliate, in short: whom, what it would pay, and why nothing. */
export const previewResults = ({ rows }: { rows: PayableRow[] }) =>
  rows.map(({ affiliate_id, payable_minor, reason }) => [affiliate_id, payable_minor, reason])

export const create = (
  { database, account }: Scene,
  campaign: Pick<Campaign, 'id'>,
  options: Options & { digest?: string } = {},
) => createPayout(database.db, account.id, { campaignId: campaign.id, rail: 'manual', ...options })

export type Shown = PayoutHead & { submissions: SubmissionDetail[]; items: ItemDetail[] }

export const show = ({ database, account }: Scene, id: number): Promise<Shown> =>
  showPayout(database.db, account.id, id, async (head, pages) => ({
    ...head,
    items: await gather(pages),
  }))

export const markPaid = (
  { database, account }: Scene,
  id: number,
  itemIds?: number[],
  reference: string | null = null,
) => markPayments(database.db, account.id, id, { outcome: 'paid', reason: null, reference }, itemIds)

export const markFailed = (
  { database, account }: Scene,
  id: number,
  itemIds?: number[],
  reason = 'Account closed',
) => markPayments(database.db, account.id, id, { outcome: 'failed', reason, reference: null }, itemIds)

/** The file as it would stand on the disk. */
export async function exported(
  { database, account }: Scene,
  id: number,
  format: 'paypal' | 'bank',
): Promise<string> {
  await startExport(database.db, account.id, id, format)
  let file = ''
  for await (const text of paymentFile(database.db, account.id, id, format)) file += text
  return file
}

/** Cancels a payout and books it at once, as the service does a moment later. */
export async function cancelPayout(db: Db, accountId: number, id: number): Promise<void> {
  await recordCancellation(db, accountId, id)
  await settlePayout(db, accountId, id)
}

/** Status of a payout and of its items, in the order of the items. */
export async function statuses(scene: Scene, id: number): Promise<[string, ...string[]]> {
  const { body } = await scene.api.get(`/payouts/${id}`)
  return [body.status, ...body.items.map(({ status }: { status: string }) => status)]
}

/** Waits until the database's clock shows a later millisecond than this, so that what follows is later too. */
export async function untilAfter({ database }: Scene, time: string): Promise<void> {
  while (Date.parse(await currentTime(database.db)) <= Date.parse(time) + 1);
}

/** Every row of an account in the tables that a payout touches, to see that nothing has changed. */
export async function written({ database }: Scene, accountId: number): Promise<unknown[]> {
  const tables = [
    'affiliates',
    'commissions',
    'payouts',
    'payout_items',
    'payout_submissions',
    'pinned_commissions',
    'rail_credentials',
    'events',
  ]
  const rowsOf = async (table: string) =>
    (
      await database.owner.query(
        `SELECT to_jsonb(t) AS row FROM ${table} t WHERE account_id = $1 ORDER BY 1`,
        [accountId],
      )
    ).rows
  return Promise.all(tables.map(rowsOf))
}

/** Works on the database with the rights of the owner of its tables, and leaves no trace. */
export async function undone<T>({ service }: TestDatabase, work: (tx: Tx) => Promise<T>): Promise<T> {
  const owner = new Database({ ...inject('postgres').owner, database: service.database, max: 1 }, error => {
    throw error
  })
  const undo = new Error('undo')
  let result: T | undefined
  try {
    await owner.transaction(async tx => {
      result = await work(tx)
      throw undo
    })
  } catch (error) {
    if (error !== undo) throw error
  } finally {
    await owner.close()
  }
  return result as T
}

/** What the doctor says, by the name of the invariant that is broken. */
export async function diagnosis(db: Db): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  for (const [name, invariant] of Object.entries(ledgerInvariants)) {
    const problems = await invariant(db)
    if (problems.length > 0) found[name] = problems
  }
  return found
}
