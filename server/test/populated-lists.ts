import type { Affiliate, Campaign, Commission, Payout, Referral, WebhookEndpoint } from '@tributary/contract'
import {
  buildAffiliate,
  buildCampaign,
  buildCommission,
  buildPayout,
  buildReferral,
  type Place,
  unique,
} from './factories.ts'
import type { Scene } from './harness.ts'

export type Noun = 'affiliates' | 'campaigns' | 'referrals' | 'commissions' | 'payouts' | 'webhook_endpoints'
export type Item = Affiliate | Campaign | Referral | Commission | Payout | WebhookEndpoint
export const nouns: Noun[] = [
  'affiliates',
  'campaigns',
  'referrals',
  'commissions',
  'payouts',
  'webhook_endpoints',
]

/** Where rows may hang: two campaigns, with two affiliates and a referral each, so that every filter distinguishes rows. */
export interface Ground {
  places: Place[]
  referralIds: number[]
}

export async function prepareGround({ database, account, place }: Scene): Promise<Ground> {
  const campaign = await buildCampaign(database, account.id)
  const affiliate = await buildAffiliate(database, account.id, campaign.id)
  const places = [place, { ...place, campaign_id: campaign.id, affiliate_id: affiliate.id }]
  const referralIds = [
    await buildReferral(database, place),
    await buildReferral(database, places[1] as Place, { is_test: true }),
  ]
  testReferrals.add(referralIds[1] as number)
  return { places, referralIds }
}

/** A commission does not say whether its referral is a test. */
const testReferrals = new Set<number>()

const pick = <T>(values: readonly T[], index: number): T => values[index % values.length] as T

/** Adds the n-th row of a noun; over a few dozen rows every value of every enumeration occurs, in many combinations. */
export async function addRow(
  scene: Scene,
  { places, referralIds }: Ground,
  noun: Noun,
  n: number,
): Promise<void> {
  const { database, account } = scene
  const place = pick(places, n)
  if (noun === 'affiliates') {
    const { id } = await buildAffiliate(database, account.id, place.campaign_id, {
      kind: pick(['affiliate', 'customer', 'customer'], n),
      tags: pick([[], ['blue'], ['blue', 'red']], n),
    })
    const status = pick(['pending', 'approved', 'rejected', 'approved'], n)
    await database.owner.query('UPDATE affiliates SET status = $1 WHERE id = $2', [status, id])
  } else if (noun === 'campaigns')
    await buildCampaign(database, account.id, {
      program_type: pick(['affiliate', 'referral', 'referral'], n),
      visibility: pick(['public', 'private'], n),
    })
  else if (noun === 'referrals')
    await buildReferral(database, place, {
      status: pick(['pending_review', 'approved', 'rejected'], n),
      is_test: n % 4 === 0,
      customer_ref:
        pick(['shared', unique('c'), unique('c')], n) === 'shared' ? `shared-${n % 2}-${n}` : unique('c'),
    })
  else if (noun === 'commissions')
    await buildCommission(database, place, {
      referral_id: n % 5 === 0 ? null : pick(referralIds, n),
      status: pick(['pending', 'approved', 'paid', 'void'], n),
      beneficiary: pick(['affiliate', 'referrer', 'referee'], n),
      ...pick<{ entry_type: Commission['entry_type']; amount_minor: number }>(
        [
          { entry_type: 'earned', amount_minor: 100 },
          { entry_type: 'clawback', amount_minor: -100 },
          { entry_type: 'adjustment', amount_minor: -1 },
          { entry_type: 'payout', amount_minor: -100 },
          { entry_type: 'credit', amount_minor: 100 },
        ],
        n,
      ),
    })
  else if (noun === 'payouts')
    await buildPayout(database, place, {
      rail: pick(['manual', 'paypal', 'paypal'], n),
      status: pick(['pending', 'processing', 'paid', 'partially_paid', 'failed', 'canceled'], n),
    })
  else
    await database.owner.query(
      `INSERT INTO webhook_endpoints (account_id, url, events, status, sealed_secret)
       VALUES ($1, 'https://receiver.example/', '{payout.paid}', $2, '')`,
      [account.id, pick(['active', 'disabled', 'active'], n)],
    )
}

/** Every filter that a list takes, and what it means, independent of how the server implements it. */
export const filtersOf: Record<
  Noun,
  Record<string, { values: (ground: Ground) => unknown[]; matches: (item: never, value: never) => boolean }>
> = {
  affiliates: {
    campaign_id: {
      values: ({ places }) => places.map(({ campaign_id }) => campaign_id),
      matches: ({ campaign_ids }: Affiliate, id: number) => campaign_ids.includes(id),
    },
    status: field('status', ['pending', 'approved', 'rejected']),
    kind: field('kind', ['affiliate', 'customer']),
    tag: { values: () => ['blue', 'red'], matches: ({ tags }: Affiliate, tag: string) => tags.includes(tag) },
  },
  campaigns: {
    program_type: field('program_type', ['affiliate', 'referral']),
    visibility: field('visibility', ['public', 'private']),
  },
  referrals: {
    campaign_id: placeField('campaign_id'),
    affiliate_id: placeField('affiliate_id'),
    status: field('status', ['pending_review', 'approved', 'rejected']),
    is_test: field('is_test', [true, false]),
  },
  commissions: {
    campaign_id: placeField('campaign_id'),
    affiliate_id: placeField('affiliate_id'),
    referral_id: {
      values: ({ referralIds }) => referralIds,
      matches: ({ referral_id }: Commission, id: number) => referral_id === id,
    },
    status: field('status', ['pending', 'approved', 'paid', 'void']),
    entry_type: field('entry_type', ['earned', 'clawback', 'adjustment', 'payout', 'credit']),
    beneficiary: field('beneficiary', ['affiliate', 'referrer', 'referee']),
    is_test: {
      values: () => [true, false],
      matches: ({ referral_id }: Commission, isTest: boolean) =>
        (referral_id !== null && testReferrals.has(referral_id)) === isTest,
    },
  },
  payouts: {
    campaign_id: placeField('campaign_id'),
    status: field('status', ['pending', 'processing', 'paid', 'partially_paid', 'failed', 'canceled']),
    rail: field('rail', ['manual', 'paypal']),
  },
  webhook_endpoints: { status: field('status', ['active', 'disabled']) },
}

function field(name: string, values: unknown[]) {
  return { values: () => values, matches: (item: never, value: never) => item[name] === value }
}

function placeField(name: 'campaign_id' | 'affiliate_id') {
  return {
    values: ({ places }: Ground) => places.map(place => place[name]),
    matches: (item: never, value: never) => item[name] === value,
  }
}

/** All items of a list that the filters let through, newest first, by walking its pages. */
export async function walk(
  { api }: Scene,
  noun: Noun,
  query: Record<string, unknown> = {},
  limit = 100,
  betweenPages: () => Promise<void> = async () => {},
): Promise<Item[]> {
  const found: Item[] = []
  for (;;) {
    const cursor = found.at(-1)?.id
    const parameters = { ...query, limit, ...(cursor !== undefined && { starting_after: cursor }) }
    const text = Object.entries(parameters).map(
      ([name, value]) => `${name}=${encodeURIComponent(String(value))}`,
    )
    const { status, body } = await api.get(`/${noun}?${text.join('&')}`)
    if (status !== 200) throw new Error(`${noun} answered ${status}: ${JSON.stringify(body)}`)
    found.push(...body.data)
    if (!body.has_more) return found
    if (body.data.length !== limit) throw new Error(`a page of ${body.data.length} says that more follow`)
    await betweenPages()
  }
}
