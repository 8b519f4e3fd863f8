/** The facts of an account, computed from its rows without the service: one loop, no SQL but SELECT. */
import type pg from 'pg'
import { localDay } from '../../../testing/time-zone.ts'

export type Facts = Record<string, number>

const time = (value: unknown) => (value as Date).getTime()

/** By `day campaign affiliate currency figure`; zeros are left out. */
export async function rawFacts(owner: pg.Pool, accountId: number, zone: string): Promise<Facts> {
  const rows = async (table: string) =>
    (await owner.query(`SELECT * FROM ${table} WHERE account_id = $1 ORDER BY 1, 2`, [accountId])).rows
  const [clicks, leads, referrals, allSales, refunds, commissions] = await Promise.all(
    ['clicks', 'tracked_leads', 'referrals', 'sales', 'refunds', 'commissions'].map(rows),
  )
  const sales = allSales?.filter(({ replaced_by }) => replaced_by === null)
  const facts: Facts = {}
  const add = (at: unknown, whose: Record<string, unknown>, currency: string, figure: string, amount = 1) => {
    const key = `${localDay(time(at), zone)} ${whose.campaign_id} ${whose.affiliate_id} ${currency} ${figure}`
    facts[key] = (facts[key] ?? 0) + amount
  }
  const seen = new Set<string>()
  for (const click of clicks ?? []) {
    if (click.is_bot) continue
    add(click.created_at, click, 'XXX', 'clicks')
    const day = localDay(time(click.created_at), zone)
    const visitor = click.address_hash
      ? `${click.address_hash.toString('hex')} ${click.user_agent}`
      : click.id
    const place = `${day} ${click.campaign_id} ${click.affiliate_id} ${visitor}`
    if (!seen.has(place)) add(click.created_at, click, 'XXX', 'unique_clicks')
    seen.add(place)
  }
  for (const lead of leads ?? []) {
    const click = clicks?.find(({ id }) => id === lead.click_id)
    if (click) add(lead.created_at, click, 'XXX', 'leads')
  }
  const counted = new Map(
    (referrals ?? []).filter(({ is_test, status }) => !is_test && status !== 'rejected').map(r => [r.id, r]),
  )
  for (const referral of counted.values()) add(referral.occurred_at, referral, 'XXX', 'conversions')
  const inOrder = (sales ?? []).toSorted(
    (a, b) => time(a.occurred_at) - time(b.occurred_at) || Number(a.id) - Number(b.id),
  )
  const known = new Set<unknown>()
  for (const sale of inOrder) {
    const isNew = !known.has(sale.referral_id)
    known.add(sale.referral_id)
    const referral = counted.get(sale.referral_id)
    if (!referral) continue
    add(sale.occurred_at, referral, sale.currency, 'sales')
    add(sale.occurred_at, referral, sale.currency, 'revenue_minor', Number(sale.amount_minor))
    if (isNew) add(sale.occurred_at, referral, sale.currency, 'customers')
  }
  for (const refund of refunds ?? []) {
    const sale = sales?.find(({ id }) => id === refund.sale_id)
    const referral = counted.get(sale?.referral_id)
    if (!referral || refund.reversed_at) continue
    add(refund.occurred_at, referral, sale.currency, 'refunds')
    add(refund.occurred_at, referral, sale.currency, 'refunded_minor', Number(refund.amount_minor))
  }
  for (const entry of commissions ?? []) {
    const isCounted = entry.referral_id === null || counted.has(entry.referral_id)
    const sale = sales?.find(({ id }) => id === entry.sale_id)
    if (
      entry.entry_type !== 'earned' ||
      entry.beneficiary === 'referee' ||
      entry.status === 'void' ||
      (entry.sale_id !== null && entry.assignment !== sale?.assignment) ||
      !isCounted
    )
      continue
    add(entry.created_at, entry, entry.payout_currency, 'commissions')
    add(
      entry.created_at,
      entry,
      entry.payout_currency,
      'commissions_minor',
      Number(entry.payout_amount_minor),
    )
  }
  return Object.fromEntries(Object.entries(facts).filter(([, amount]) => amount !== 0))
}

/** The rolled-up facts as they are stored, in the same form. */
export async function storedFacts(owner: pg.Pool, accountId: number): Promise<Facts> {
  const facts: Facts = {}
  for (const table of ['insight_visits', 'insight_earnings']) {
    const { rows } = await owner.query(
      `SELECT *, to_char(day, 'YYYY-MM-DD') AS day FROM ${table} WHERE account_id = $1`,
      [accountId],
    )
    for (const { account_id: _, day, campaign_id, affiliate_id, currency = 'XXX', ...figures } of rows)
      for (const [figure, amount] of Object.entries(figures))
        if (Number(amount) !== 0)
          facts[`${day} ${campaign_id} ${affiliate_id} ${currency} ${figure}`] = Number(amount)
  }
  return facts
}
