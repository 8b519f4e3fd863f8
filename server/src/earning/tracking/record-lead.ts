import { createHmac } from 'node:crypto'
import { emailPattern } from '@tributary/contract'
import type { Db, Tx } from '../../db/database.ts'
import { invalid } from '../../kit/domain-error.ts'
import { emailKey } from '../../kit/email.ts'
import type { SecretBox } from '../../kit/secret-box.ts'
import { countOtherLeads, findLeadClick, findReferralsOfLead, lockOwnClick, saveLead } from './lead.store.ts'

/** A family shares a browser; more emails than this are not of one visitor. */
const MOST_PER_CLICK = 5

const isEmail = new RegExp(emailPattern)

/** The tracker's report that a visitor left their email. */
export interface Lead {
  account: string
  visitor_id: string
  click_id: number
  email: string
}

/** Differs between accounts, so that no one can tell that two of them have the same customer. */
export const emailHash = (key: Buffer, accountId: number, email: string) =>
  createHmac('sha256', key)
    .update(`${accountId}:${emailKey(email.trim())}`)
    .digest()

/**
 * Locks the visitor's click. The visitor ID must be the click's own: click IDs can be guessed, so anyone could otherwise name other people's.
 */
export async function lockClickOfLead(tx: Tx, accountId: number, lead: Lead): Promise<void> {
  if (!(await lockOwnClick(tx, accountId, { clickId: lead.click_id, visitorId: lead.visitor_id })))
    throw invalid('click_id', 'does not match a click of this visitor')
}

/** Links an email to a click that the caller has locked: of leads that arrive at once, each must count those before it. */
export async function recordLead(tx: Tx, accountId: number, leadKey: Buffer, lead: Lead): Promise<void> {
  const { click_id: clickId, email } = lead
  const saved = { clickId, emailHash: emailHash(leadKey, accountId, email), email: email.trim() }
  if ((await countOtherLeads(tx, accountId, saved)) >= MOST_PER_CLICK)
    throw invalid('click_id', `has ${MOST_PER_CLICK} emails already`)
  await saveLead(tx, accountId, saved)
}

/** The click of a customer who left this email on the merchant's pages. */
export const clickOfLead = (
  db: Db,
  leadKey: Buffer,
  accountId: number,
  email: string,
): Promise<number | undefined> => findLeadClick(db, accountId, emailHash(leadKey, accountId, email))

/**
 * The referrals of a customer who left this email on the merchant's pages. Emails are stored as keyed hashes, so only a complete one can
 * be found; any other text finds none.
 */
export const referralsOfEmail = async (
  { db, secrets }: { db: Db; secrets: SecretBox },
  accountId: number,
  text: string,
): Promise<number[]> =>
  isEmail.test(text)
    ? findReferralsOfLead(db, accountId, emailHash(secrets.key('lead email'), accountId, text))
    : []
