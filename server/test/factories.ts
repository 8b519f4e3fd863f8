import type {
  Affiliate,
  Campaign,
  Commission,
  CreateAffiliate,
  Payout,
  PayoutItem,
  Referral,
} from '@tributary/contract'
import { enrolAffiliate } from '../src/programme/affiliates/enrol-affiliate.ts'
import { createApiKey } from '../src/programme/api-keys/create-api-key.ts'
import { createCampaign } from '../src/programme/campaigns/create-campaign.ts'
import type { TestDatabase } from './harness.ts'

let counter = 0
export const unique = (prefix: string) => `${prefix}-${++counter}-${Math.random().toString(36).slice(2, 8)}`

export interface TestAccount {
  id: number
  slug: string
  key: string
  keyId: number
}

/** An account with an API key; without an owner, whose password would take long to hash. */
export async function buildAccount({ owner, db }: TestDatabase): Promise<TestAccount> {
  const slug = unique('account')
  const { rows } = await owner.query('INSERT INTO accounts (name, slug) VALUES ($1, $1) RETURNING id', [slug])
  const id = Number(rows[0].id)
  const { key, id: keyId } = await createApiKey(db, id, 'test')
  return { id, slug, key, keyId }
}

export function buildCampaign(
  { db }: TestDatabase,
  accountId: number,
  overrides: Partial<Campaign> = {},
): Promise<Campaign> {
  const slug = unique('campaign')
  const campaign = {
    name: 'Programme',
    slug,
    program_type: 'affiliate' as const,
    visibility: 'private' as const,
    payout_currency: 'USD',
    attribution_model: 'last_click' as const,
    attribution_window_days: 60,
    hold_days: 30,
    minimum_payout_minor: 5000,
    open_enrollment: false,
    destination_url: null,
    ...overrides,
  }
  return createCampaign(db, accountId, campaign, {
    rewards: [
      {
        beneficiary: campaign.program_type === 'referral' ? 'referrer' : 'affiliate',
        entryType: 'earned',
        rule: { kind: 'percent', rateBasisPoints: 2000 },
        recurringMonths: null,
      },
    ],
  })
}

export async function buildAffiliate(
  { db }: TestDatabase,
  accountId: number,
  campaignId: number,
  overrides: Partial<CreateAffiliate> = {},
): Promise<Affiliate> {
  const email = `${unique('affiliate')}@example.com`
  return (await enrolAffiliate(db, accountId, { email, campaign_id: campaignId, ...overrides })).affiliate
}

/** Inserts a row as the owner of the tables, for what the program itself cannot write yet. */
async function insert(
  database: TestDatabase,
  table: string,
  values: Record<string, unknown>,
): Promise<number> {
  const names = Object.keys(values)
  const { rows } = await database.owner.query(
    `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((_, index) => `$${index + 1}`).join(', ')}) RETURNING id`,
    Object.values(values),
  )
  return Number(rows[0].id)
}

/** What a row of a programme hangs on. */
export interface Place {
  account_id: number
  campaign_id: number
  affiliate_id: number
}

export const buildReferral = (database: TestDatabase, place: Place, overrides: Partial<Referral> = {}) =>
  insert(database, 'referrals', {
    ...place,
    customer_ref: unique('customer'),
    status: 'approved',
    occurred_at: '2026-01-31T12:00:00.000Z',
    ...overrides,
  })

export const buildCommission = (
  database: TestDatabase,
  place: Place,
  overrides: Partial<Commission> = {},
) => {
  const amount = overrides.amount_minor ?? 2000
  return insert(database, 'commissions', {
    ...place,
    entry_type: 'earned',
    beneficiary: 'affiliate',
    amount_minor: amount,
    currency: 'USD',
    payout_amount_minor: amount,
    payout_currency: 'USD',
    status: 'pending',
    ...overrides,
  })
}

export async function buildPayout(
  database: TestDatabase,
  { affiliate_id, ...place }: Place,
  overrides: Partial<Omit<Payout, 'items'>> & { item?: Partial<PayoutItem> } = {},
): Promise<number> {
  const { item, ...batch } = overrides
  const id = await insert(database, 'payouts', {
    ...place,
    rail: 'manual',
    status: 'pending',
    currency: 'USD',
    total_minor: 6000,
    ...batch,
  })
  await insert(database, 'payout_items', {
    account_id: place.account_id,
    payout_id: id,
    affiliate_id,
    amount_minor: 6000,
    currency: 'USD',
    status: 'pending',
    ...item,
  })
  return id
}
