import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Campaign } from '@tributary/contract'
import type { CampaignStatus } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import type { SecretBox } from '../../kit/secret-box.ts'
import { portalOfAccount } from './portal.store.ts'
import { portalAddress } from './portal-address.ts'

const KEY_CHARACTERS = 20

/** The key in the join link of a private campaign, whose slug could be guessed: a 120-bit MAC. */
const joinKey = (secrets: SecretBox, accountId: number, campaignId: number): string =>
  createHmac('sha256', secrets.key('join link'))
    .update(`${accountId}:${campaignId}`)
    .digest('base64url')
    .slice(0, KEY_CHARACTERS)

export function isJoinKey(secrets: SecretBox, accountId: number, campaignId: number, key: string): boolean {
  const [given, right] = [Buffer.from(key), Buffer.from(joinKey(secrets, accountId, campaignId))]
  return given.length === right.length && timingSafeEqual(given, right)
}

type Joinable = Pick<Campaign, 'id' | 'slug' | 'visibility' | 'open_enrollment'> & { status: CampaignStatus }

/** The campaigns with their join links; null where only the team can enrol affiliates, or the campaign isn't active. */
export async function withJoinLinks<C extends Joinable>(
  { db, secrets, baseUrl }: { db: Db; secrets: SecretBox; baseUrl: string },
  accountId: number,
  campaigns: C[],
): Promise<(C & { join_link: string | null })[]> {
  const portal = portalAddress(baseUrl, await portalOfAccount(db, accountId))
  const linkOf = ({ id, slug, visibility }: C) =>
    `${portal}/join/${slug}${visibility === 'public' ? '' : `/${joinKey(secrets, accountId, id)}`}`
  return campaigns.map(campaign => ({
    ...campaign,
    join_link: campaign.open_enrollment && campaign.status === 'active' ? linkOf(campaign) : null,
  }))
}
