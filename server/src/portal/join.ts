import type { JoinForm } from '@tributary/contract/dashboard'
import type { FilledForm } from '@tributary/contract/portal'
import type { Db, Tx } from '../db/database.ts'
import { invalid, notFound } from '../kit/domain-error.ts'
import type { SecretBox } from '../kit/secret-box.ts'
import { LimitedLookup } from '../kit/shared-lookup.ts'
import { sha256 } from '../kit/tokens.ts'
import { recordNotices } from '../mail/notices/record-notices.ts'
import { enrol, type SignInAddress } from '../programme/affiliates/affiliate.store.ts'
import { enrolAffiliate } from '../programme/affiliates/enrol-affiliate.ts'
import { lockCampaignShared } from '../programme/campaigns/campaign.store.ts'
import { insertApplication } from '../programme/join-forms/application.store.ts'
import { findJoinForm, findTerms, type TermsToAccept } from '../programme/join-forms/join-form.store.ts'
import { checkForm } from '../programme/join-forms/join-form.ts'
import { isJoinKey } from '../programme/portal-settings/join-link.ts'
import {
  findOpenJoins,
  type JoinRow,
  lockJoin,
  type OpenJoin,
  openVisibility,
  useJoin,
} from './join.store.ts'
import { findRecipientByEmail, lockRecipientByEmail } from './notices/notice-facts.store.ts'
import { beginPortalSession } from './portal-sessions.ts'

/** Queues a sign-in link. Whether the address is known is checked later, so neither the response nor its timing discloses it. */
export const requestSignInLink = (db: Db, accountId: number, email: string): Promise<void> =>
  db.transaction(tx =>
    recordNotices(tx, accountId, [{ kind: 'sign_in_link', affiliateId: null, details: { email } }]),
  )

/** Whether someone may join: a private campaign only by its join link, so the request must include the link's key. */
async function mayJoin(
  { db, secrets }: { db: Db; secrets: SecretBox },
  accountId: number,
  campaignId: number,
  key: string | undefined,
): Promise<boolean> {
  const visibility = await openVisibility(db, accountId, campaignId)
  if (visibility === 'private') return key !== undefined && isJoinKey(secrets, accountId, campaignId, key)
  return visibility === 'public'
}

/** What someone who wants to join is asked. */
export async function showJoinForm(
  services: { db: Db; secrets: SecretBox },
  accountId: number,
  campaignId: number,
  key: string | undefined,
): Promise<JoinForm> {
  if (!(await mayJoin(services, accountId, campaignId, key))) throw notFound('campaign')
  return (await findJoinForm(services.db, accountId, campaignId)).form
}

/** Checks a filled-in form against the current one. Its terms are accepted at the moment at which they were current. */
async function readForm(db: Db, accountId: number, campaignId: number, filled: FilledForm | undefined) {
  const { form, readAt } = await findJoinForm(db, accountId, campaignId)
  const checked = checkForm(form, filled)
  return { ...checked, acceptedAt: readAt }
}

/**
 * Queues a confirmation email. The person becomes an affiliate once they confirm their address. Anyone can send the form with another's
 * address, so its terms are accepted only then.
 */
export async function requestToJoin(
  services: { db: Db; secrets: SecretBox },
  accountId: number,
  {
    join_key: key,
    form: filled,
    ...join
  }: { email: string; name?: string | null; campaign_id: number; join_key?: string; form?: FilledForm },
): Promise<void> {
  if (!(await mayJoin(services, accountId, join.campaign_id, key)))
    throw invalid('campaign_id', 'must be a campaign that you can join')
  const { answers, termsVersion } = await readForm(services.db, accountId, join.campaign_id, filled)
  const details = { ...join, answers, terms_version: termsVersion }
  await services.db.transaction(tx =>
    recordNotices(tx, accountId, [{ kind: 'confirm_join', affiliateId: null, details }]),
  )
}

const joined = (tx: Tx, accountId: number, affiliateId: number, campaignId: number) =>
  recordNotices(tx, accountId, [{ kind: 'joined', affiliateId, details: { campaign_id: campaignId } }])

/** Finds confirmations by their digests, without consuming them. */
export const confirmations = (db: Db) => new LimitedLookup(lookups => findOpenJoins(db, lookups))

/**
 * Whether a confirmation would be accepted: the campaign may have closed, or the company may have rejected the affiliate.
 * Visibility was checked when the person requested to join.
 */
export const canConfirm = async (
  db: Db,
  accountId: number,
  join: Pick<JoinRow, 'campaign_id' | 'email'>,
): Promise<boolean> =>
  (await openVisibility(db, accountId, join.campaign_id)) !== undefined &&
  (await findRecipientByEmail(db, accountId, join.email))?.status !== 'rejected'

/**
 * The terms that a confirmation accepts, for its page. They're those that the form was sent with, even if they have changed since: a link
 * always shows and accepts the same ones.
 */
export const termsOfJoin = async (db: Db, join: OpenJoin): Promise<TermsToAccept | undefined> =>
  join.terms_version === null
    ? undefined
    : findTerms(db, join.account_id, join.campaign_id, join.terms_version)

/**
 * Consumes a confirmation link: the affiliate is created if new, enrolled in the campaign and signed in, and has accepted the terms
 * on the link's page. Undefined when the link is invalid, used or expired; or if the campaign is paused or closed, or the company rejected
 * the affiliate, and then the link isn't consumed.
 */
export function confirmJoin(
  db: Db,
  accountId: number,
  linkToken: string,
  address: SignInAddress | null,
): Promise<string | undefined> {
  return db.transaction(async tx => {
    const hash = sha256(linkToken)
    const join = await lockJoin(tx, accountId, hash)
    if (!join) return undefined
    // Locked against a concurrent change of email: the session must not go to an affiliate whose address is no longer the confirmed one.
    await lockRecipientByEmail(tx, accountId, join.email)
    // No one joins a campaign that is being paused or closed.
    await lockCampaignShared(tx, accountId, join.campaign_id)
    if (!(await canConfirm(tx, accountId, join))) return undefined
    await useJoin(tx, accountId, hash)
    const { affiliate, enrolled } = await enrolAffiliate(tx, accountId, {
      email: join.email,
      campaign_id: join.campaign_id,
      ...(join.name !== null && { name: join.name }),
    })
    const who = { affiliateId: affiliate.id, campaignId: join.campaign_id, isNew: enrolled }
    const { answers, terms_version: termsVersion, taken_at: acceptedAt } = join
    await insertApplication(tx, accountId, who, { answers: answers ?? [], termsVersion, acceptedAt })
    if (enrolled) await joined(tx, accountId, affiliate.id, join.campaign_id)
    return beginPortalSession(tx, accountId, affiliate.id, address)
  })
}

/** Enrols a signed-in affiliate in another campaign. Idempotent. */
export async function joinCampaign(
  db: Db,
  accountId: number,
  affiliateId: number,
  campaignId: number,
  filled: FilledForm | undefined,
): Promise<void> {
  await db.transaction(async tx => {
    await lockCampaignShared(tx, accountId, campaignId)
    if ((await openVisibility(tx, accountId, campaignId)) !== 'public') throw notFound('campaign')
    const form = await readForm(tx, accountId, campaignId, filled)
    const isNew = await enrol(tx, accountId, affiliateId, campaignId)
    await insertApplication(tx, accountId, { affiliateId, campaignId, isNew }, form)
    if (isNew) await joined(tx, accountId, affiliateId, campaignId)
  })
}
