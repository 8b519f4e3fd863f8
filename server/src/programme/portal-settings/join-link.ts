import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Campaign } from '@tributary/contract'
import type { Db } from '../../db/database.ts'
import type { SecretBox } from '../../kit/secret-box.ts'
import { portalAddress } from './portal-address.ts'
import { portalOfAccount } from './portal-of-account.ts'

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

/** The campaign's join link; null if only the team can enrol affiliates. */
export async function joinLink(
  { db, secrets, baseUrl }: { db: Db; secrets: SecretBox; baseUrl: string },
  accountId: number,
  campaign: Pick<Campaign, 'id' | 'slug' | 'visibility' | 'open_enrollment'>,
): Promise<string | null> {
  if (!campaign.open_enrollment) return null
  const link = `${portalAddress(baseUrl, await portalOfAccount(db, accountId))}/join/${campaign.slug}`
  return campaign.visibility === 'public' ? link : `${link}/${joinKey(secrets, accountId, campaign.id)}`
}
