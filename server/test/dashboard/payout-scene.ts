import type { Campaign } from '@tributary/contract'
import type { DashboardRouteId, PayoutItemRow } from '@tributary/contract/dashboard'
import { beforeAll, beforeEach, expect } from 'vitest'
import { settleAllPayouts } from '../../src/money/payouts/settle-payout.ts'
import { unique } from '../factories.ts'
import { type Scene, useOwnScene } from '../harness.ts'
import { openCampaign } from '../ledger/scene.ts'
import { create, owed } from '../payouts/ground.ts'
import { Person, type PersonInput } from './person.ts'

export interface PayoutScene extends Scene {
  owner: Person
  finance: Person
  viewer: Person
  /** A new one for each test, with a minimum payout of 10 USD. */
  campaign: Campaign
  /** What a call gives, where it has to succeed. */
  ask<Id extends DashboardRouteId>(
    route: Id,
    input?: PersonInput<Id>,
    by?: Person,
    // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails where it is not there.
  ): Promise<any>
  /** A payout of these amounts, an affiliate each. */
  payoutOf(
    amounts: number[],
    rail?: 'manual' | 'paypal',
  ): Promise<{ id: number; items: PayoutItemRow[]; itemIds: number[] }>
  /** What the service does every second. */
  book(): Promise<void>
  /** Of the items, in their order. */
  statusesOf(id: number): Promise<string[]>
  /** The audit log's lines about a payout, newest first. */
  audited(id: number): Promise<{ action: string }[]>
}

/** An account with people of several roles, who pay its affiliates. */
export function usePayouts(): PayoutScene {
  const scene = useOwnScene() as PayoutScene
  beforeAll(async () => {
    for (const role of ['owner', 'finance', 'viewer'] as const)
      scene[role] = await Person.join(scene.app, scene.account.id, role)
  })
  beforeEach(async () => {
    const terms = { name: unique('Programme'), minimum_payout_minor: 1000 }
    scene.campaign = await openCampaign(scene.database, scene.account.id, terms)
  })
  scene.ask = async (route, input = {}, by = scene.finance) => {
    const { status, body, text } = await by.call(route, input)
    expect([status, status === 200 ? '' : text]).toEqual([200, ''])
    return body
  }
  const itemsOf = async (id: number): Promise<PayoutItemRow[]> =>
    (await scene.ask('listPayoutItems', { id, query: { order: 'oldest' } })).data
  scene.payoutOf = async (amounts, rail = 'manual') => {
    for (const amount of amounts) await owed(scene, scene.campaign, [amount])
    const { id } = await create(scene, scene.campaign, { rail })
    const items = await itemsOf(id)
    return { id, items, itemIds: items.map(item => item.id) }
  }
  scene.book = () => settleAllPayouts(scene.database.db)
  scene.statusesOf = async id => (await itemsOf(id)).map(({ status }) => status)
  scene.audited = async id => {
    const { data } = await scene.ask('listAuditLog', { query: { subject_id: id } }, scene.owner)
    return data.filter(({ action }: { action: string }) => action.startsWith('payout.'))
  }
  return scene
}
