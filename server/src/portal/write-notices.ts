import type { AffiliateMail } from '@tributary/contract/dashboard'
import { mails } from '@tributary/contract/portal/texts'
import type { Db, Tx } from '../db/database.ts'
import { formatMinor } from '../kit/money.ts'
import { newLinkToken, sha256 } from '../kit/tokens.ts'
import { issueMagicLink, LIFETIME_SECONDS } from '../magic-links/mint-magic-link.ts'
import { countMailsTo, type NoticeRow, takeNotices } from '../mail/record-notice.ts'
import type { Mail, Sender } from '../mail/render-mail.ts'
import { writeMail } from '../mail/write-mail.ts'
import { countJoinsOf, insertJoin } from './join.store.ts'
import { logoAddress, portalAddress } from './portal-address.ts'
import { portalOfAccount } from './portal-of-account.ts'
import {
  findCampaignName,
  findFirstCommission,
  findPayoutItem,
  findRecipient,
  findRecipientByEmail,
  type Recipient,
} from './write-notices.store.ts'

const NOTICES_AT_ONCE = 100
/** Whoever types addresses into a form must not be able to flood anybody. */
const MAILS_PER_HOUR = 5
const JOIN_HOURS = 24

interface Setting {
  tx: Tx
  accountId: number
  company: string
  /** Where the portal is. */
  address: string
}

/** A mail and whom it goes to; undefined where there is nothing (any more) to tell, or nobody to tell it to. */
type Made = { to: string; mail: Mail } | undefined
type Writer = (setting: Setting, details: Record<string, unknown>, recipient: Recipient) => Promise<Made>

const money = (amountMinor: number, currency: string) => `${formatMinor(amountMinor, currency)} ${currency}`
const day = (time: string) =>
  new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(time))

/** What an affiliate is told, by kind. */
const writers: Record<Exclude<AffiliateMail, 'sign_in_link'>, Writer> = {
  joined: async ({ tx, accountId, company, address }, details, { email, status }) => {
    const campaign = await findCampaignName(tx, accountId, Number(details.campaign_id))
    if (campaign === undefined || status === 'rejected') return undefined
    const { joined } = mails
    const mail = {
      kind: 'joined',
      subject: joined.subject(company),
      lines: joined[status](company, campaign),
    }
    return { to: email, mail: { ...mail, action: { label: joined.action, url: address } } }
  },
  approved: async ({ company, address }, _details, { email, status }) => {
    if (status !== 'approved') return undefined
    const { subject, lines, action } = mails.approved
    const mail = { kind: 'approved', subject: subject(company), lines: lines(company) }
    return { to: email, mail: { ...mail, action: { label: action, url: `${address}/links` } } }
  },
  rejected: async ({ company }, _details, { email, status }) => {
    if (status !== 'rejected') return undefined
    const { subject, lines } = mails.rejected
    return { to: email, mail: { kind: 'rejected', subject: subject(company), lines: lines(company) } }
  },
  first_commission: async ({ tx, accountId, company, address }, details, { id, email }) => {
    const found = await findFirstCommission(tx, accountId, id, Number(details.commission_id))
    // An earlier one may have been under way still when a mail told of another that was the first to be seen.
    if (!found || (await countMailsTo(tx, accountId, 'first_commission', email)) > 0) return undefined
    const { subject, lines, action } = mails.first_commission
    const amount = money(found.payout_amount_minor, found.payout_currency)
    const until = found.hold_until && day(found.hold_until)
    const mail = { kind: 'first_commission', subject: subject(), lines: lines(company, amount, until) }
    return { to: email, mail: { ...mail, action: { label: action, url: `${address}/referrals` } } }
  },
  payout_sent: async ({ tx, accountId, company, address }, details, { email }) => {
    const item = await findPayoutItem(tx, accountId, Number(details.item_id))
    if (!item) return undefined
    const { subject, lines, action } = mails.payout_sent
    const amount = money(item.amount_minor, item.currency)
    const mail = {
      kind: 'payout_sent',
      subject: subject(amount),
      lines: lines(company, amount, item.payout_address),
    }
    return { to: email, mail: { ...mail, action: { label: action, url: `${address}/payouts` } } }
  },
  payout_failed: async ({ tx, accountId, company, address }, details, { email }) => {
    const item = await findPayoutItem(tx, accountId, Number(details.item_id))
    if (!item) return undefined
    const { subject, lines, action } = mails.payout_failed
    const amount = money(item.amount_minor, item.currency)
    const mail = {
      kind: 'payout_failed',
      subject: subject(amount),
      lines: lines(company, amount, item.reason),
    }
    return { to: email, mail: { ...mail, action: { label: action, url: `${address}/settings` } } }
  },
  paypal_changed: async ({ company, address }, details) => {
    const { subject, lines, action } = mails.paypal_changed
    const changedTo = details.paypal_email === null ? null : String(details.paypal_email)
    const mail = { kind: 'paypal_changed', subject: subject(), lines: lines(company, changedTo) }
    return {
      to: String(details.to),
      mail: { ...mail, action: { label: action, url: `${address}/settings` } },
    }
  },
}

/** A link to sign in, where the address is an affiliate's. */
async function signInLink({ tx, accountId, company, address }: Setting, email: string): Promise<Made> {
  const recipient = await findRecipientByEmail(tx, accountId, email)
  if (!recipient || recipient.status === 'rejected') return undefined
  if ((await countMailsTo(tx, accountId, 'sign_in_link', recipient.email)) >= MAILS_PER_HOUR) return undefined
  const token = await issueMagicLink(tx, accountId, recipient.id)
  const { subject, lines, action, note } = mails.sign_in_link
  const mail = {
    kind: 'sign_in_link',
    subject: subject(company),
    lines: lines(company),
    // A button waits behind it: programs that read mails before their owners follow links, and run scripts.
    action: { label: action, url: `${address}/enter/${token}` },
    note: note(LIFETIME_SECONDS / 60),
  }
  return { to: recipient.email, mail }
}

/** The question whether an address is theirs, to whoever asked to join. Somebody who is known already gets the same. */
async function confirmation(
  { tx, accountId, company, address }: Setting,
  details: Record<string, unknown>,
): Promise<Made> {
  const email = String(details.email)
  const campaignId = Number(details.campaign_id)
  const campaign = await findCampaignName(tx, accountId, campaignId)
  const recipient = await findRecipientByEmail(tx, accountId, email)
  if (campaign === undefined || recipient?.status === 'rejected') return undefined
  if ((await countJoinsOf(tx, accountId, email)) >= MAILS_PER_HOUR) return undefined
  const token = newLinkToken()
  const name = typeof details.name === 'string' ? details.name : null
  await insertJoin(tx, accountId, {
    campaign_id: campaignId,
    email,
    name,
    tokenHash: sha256(token),
    lifetimeHours: JOIN_HOURS,
  })
  const { subject, lines, action, note } = mails.confirm_join
  const mail = {
    kind: 'confirm_join',
    subject: subject(company),
    lines: lines(company, campaign),
    action: { label: action, url: `${address}/confirm/${token}` },
    note: note(JOIN_HOURS),
  }
  return { to: email, mail }
}

async function make(setting: Setting, { kind, details, affiliate_id }: NoticeRow): Promise<Made> {
  if (kind === 'sign_in_link') return signInLink(setting, String(details.email))
  if (kind === 'confirm_join') return confirmation(setting, details)
  const writer = writers[kind as keyof typeof writers]
  const recipient =
    affiliate_id === null ? undefined : await findRecipient(setting.tx, setting.accountId, affiliate_id)
  return recipient && writer ? writer(setting, details, recipient) : undefined
}

/** Turns what was noted into mails that wait to be sent, in the look of each account; what an account keeps silent about is dropped. */
export async function writeNotices(db: Db, baseUrl: string): Promise<void> {
  for (let taken = NOTICES_AT_ONCE; taken === NOTICES_AT_ONCE; )
    taken = await db.transaction(tx => writeSome(tx, baseUrl))
}

async function writeSome(tx: Tx, baseUrl: string): Promise<number> {
  const notices = await takeNotices(tx, NOTICES_AT_ONCE)
  for (const notice of notices) {
    const portal = await portalOfAccount(tx, notice.account_id)
    if (portal.silent_mails.some(kind => kind === notice.kind)) continue
    const address = portalAddress(baseUrl, portal)
    const company = portal.name ?? portal.account_name
    const made = await make({ tx, accountId: notice.account_id, company, address }, notice)
    const sender: Sender = {
      name: company,
      colour: portal.colour,
      logo: portal.logo_version === null ? null : logoAddress(address, portal),
    }
    if (made) await writeMail(tx, notice.account_id, made.to, made.mail, sender)
  }
  return notices.length
}
