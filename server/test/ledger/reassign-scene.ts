import type { Affiliate, Commission } from '@tributary/contract'
import { expect } from 'vitest'
import type { Db } from '../../src/db/database.ts'
import { reassignReferral } from '../../src/earning/conversions/reassign-referral.ts'
import { balancesOf } from '../../src/money/ledger/balances.ts'
import type { Person } from '../dashboard/person.ts'
import type { Scene } from '../harness.ts'
import { approvedAffiliate, entriesOf, type Terms, type Won, winCustomer } from './scene.ts'

/** A referral that a person can reassign, and the affiliate who should have it. */
export interface Ground extends Won {
  to: Affiliate & { coupon_code: string }
  request: { affiliate_id: number; campaign_id: number; reason: string }
}

export async function ground(scene: Scene, terms: Terms = {}, extra: object = {}): Promise<Ground> {
  const won = await winCustomer(scene, terms, extra)
  const to = await approvedAffiliate(scene, won.campaign.id)
  return {
    ...won,
    to,
    request: { affiliate_id: to.id, campaign_id: won.campaign.id, reason: 'A call' },
  }
}

/** As the page does. */
export const callOf = (admin: Person, { referralId, request }: Ground) => ({
  preview: (extra: object = {}) =>
    admin.call('reassignReferral', { id: referralId, body: { ...request, dry_run: true, ...extra } }),
  reassign: (extra: object = {}) =>
    admin.call('reassignReferral', { id: referralId, body: { ...request, dry_run: false, ...extra } }),
})

/** As the use case does, in a transaction that may be another one's. */
export const reassign = (scene: Scene, db: Db, { referralId, request }: Ground, extra: object = {}) =>
  reassignReferral(db, scene.account.id, { ...request, referral_id: referralId, dry_run: false, ...extra })

/** The entries of the referral: whose, type, payout amount, status. */
export async function ledgerOf(scene: Scene, { referralId, affiliate, to }: Ground) {
  const names = new Map([
    [affiliate.id, 'from'],
    [to.id, 'to'],
  ])
  return (await entriesOf(scene, referralId)).map((entry: Commission) => [
    names.get(entry.affiliate_id),
    entry.entry_type,
    entry.payout_amount_minor,
    entry.status,
  ])
}

export const owedTo = async (scene: Scene, { id }: Pick<Affiliate, 'id'>) =>
  (await balancesOf(scene.database.db, scene.account.id, id))[0]?.balance_minor ?? 0

export const problemOf = ({ status, body }: { status: number; body: { error?: { message: string } } }) => [
  status,
  body.error?.message,
]

export async function done(answer: Promise<{ status: number; body: Record<string, unknown> }>) {
  const { status, body } = await answer
  expect([status, body.error]).toEqual([200, undefined])
  return body
}
