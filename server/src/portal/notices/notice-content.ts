import type { AffiliateMail } from '@tributary/contract/dashboard'
import { mails } from '@tributary/contract/portal/texts'
import type { Tx } from '../../db/database.ts'
import { formatMinor } from '../../kit/money.ts'
import { newLinkToken, sha256 } from '../../kit/tokens.ts'
import { countMailsTo, type NoticeRow } from '../../mail/notices/notice.store.ts'
import { issueMagicLink, LIFETIME_SECONDS } from '../../programme/magic-links/mint-magic-link.ts'
import { countJoinsOf, insertJoin } from '../join.store.ts'
import {
  findCampaignName,
  findFirstCommission,
  findPayoutItem,
  findRecipient,
  findRecipientByEmail,
  lockRecipientByEmail,
  type PaidItem,
  type Recipient,
} from './notice-facts.store.ts'

/** Per address: a form that takes addresses must not be a way to flood one. */
const MAILS_PER_HOUR = 5
const JOIN_HOURS = 24

interface Setting {
  tx: Tx
  accountId: number
  company: string
}

/** What a mail says, and where its button leads below the portal. Goes to the affiliate, unless it names another address. */
interface Told {
  to?: string
  subject: string
  lines: string[]
  action?: { label: string; page: string }
  note?: string
}
/** Undefined where there is nothing to tell any more. */
type Writer = (
  setting: Setting,
  details: Record<string, unknown>,
  recipient: Recipient,
) => Promise<Told | undefined>

const money = (amountMinor: number, currency: string) => `${formatMinor(amountMinor, currency)} ${currency}`
const day = (time: string) =>
  new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(time))

/** What each kind of notice says. */
const writers: Record<Exclude<AffiliateMail, 'sign_in_link'>, Writer> = {
  joined: async ({ tx, accountId, company }, details, { status }) => {
    const campaign = await findCampaignName(tx, accountId, Number(details.campaign_id))
    if (campaign === undefined || status === 'rejected') return undefined
    const { subject, action, ...lines } = mails.joined
    return {
      subject: subject(company),
      lines: lines[status](company, campaign),
      action: { label: action, page: '' },
    }
  },
  approved: async ({ company }, _details, { status }) => {
    if (status !== 'approved') return undefined
    const { subject, lines, action } = mails.approved
    return { subject: subject(company), lines: lines(company), action: { label: action, page: '/links' } }
  },
  rejected: async ({ company }, _details, { status }) => {
    if (status !== 'rejected') return undefined
    const { subject, lines } = mails.rejected
    return { subject: subject(company), lines: lines(company) }
  },
  first_commission: async ({ tx, accountId, company }, details, { id, email }) => {
    const found = await findFirstCommission(tx, accountId, id, Number(details.commission_id))
    // An earlier one may have been under way still when a mail told of another that was the first to be seen.
    if (!found || (await countMailsTo(tx, accountId, 'first_commission', email)) > 0) return undefined
    const { subject, lines, action } = mails.first_commission
    const amount = money(found.payout_amount_minor, found.payout_currency)
    const until = found.hold_until && day(found.hold_until)
    return {
      subject: subject(),
      lines: lines(company, amount, until),
      action: { label: action, page: '/referrals' },
    }
  },
  payout_sent: aboutPayout(mails.payout_sent, '/payouts', ({ payout_address }) => payout_address),
  payout_failed: aboutPayout(mails.payout_failed, '/settings', ({ reason }) => reason),
  paypal_changed: async ({ company }, details) => {
    const { subject, lines, action } = mails.paypal_changed
    const changedTo = details.paypal_email === null ? null : String(details.paypal_email)
    return {
      to: String(details.to),
      subject: subject(),
      lines: lines(company, changedTo),
      action: { label: action, page: '/settings' },
    }
  },
  email_changed: async ({ company }, details) => {
    const { subject, lines } = mails.email_changed
    return { to: String(details.to), subject: subject(), lines: lines(company, String(details.email)) }
  },
}

/** Where a payout went, or why it did not get there. */
function aboutPayout(
  { subject, lines, action }: typeof mails.payout_sent | typeof mails.payout_failed,
  page: string,
  fact: (item: PaidItem) => string | null,
): Writer {
  return async ({ tx, accountId, company }, details) => {
    const item = await findPayoutItem(tx, accountId, Number(details.item_id))
    if (!item) return undefined
    const amount = money(item.amount_minor, item.currency)
    return {
      subject: subject(amount),
      lines: lines(company, amount, fact(item)),
      action: { label: action, page },
    }
  }
}

/** A link to sign in, where the address is an affiliate's. */
async function signInLink({ tx, accountId, company }: Setting, email: string): Promise<Told | undefined> {
  // Locked, so that a change of the email either comes first, or finds this link and voids it.
  const recipient = await lockRecipientByEmail(tx, accountId, email)
  if (!recipient || recipient.status === 'rejected') return undefined
  if ((await countMailsTo(tx, accountId, 'sign_in_link', recipient.email)) >= MAILS_PER_HOUR) return undefined
  const token = await issueMagicLink(tx, accountId, recipient.id)
  const { subject, lines, action, note } = mails.sign_in_link
  return {
    to: recipient.email,
    subject: subject(company),
    lines: lines(company),
    // A button waits behind it: programs that read mails before their owners follow links, and run scripts.
    action: { label: action, page: `/enter/${token}` },
    note: note(LIFETIME_SECONDS / 60),
  }
}

/** Asks for confirmation that an address belongs to the person who entered it to join. An affiliate gets the same mail. */
async function confirmation(
  { tx, accountId, company }: Setting,
  details: Record<string, unknown>,
): Promise<Told | undefined> {
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
  return {
    // An affiliate is asked at the address that they gave, not at one that merely counts as the same.
    to: recipient?.email ?? email,
    subject: subject(company),
    lines: lines(company, campaign),
    action: { label: action, page: `/confirm/${token}` },
    note: note(JOIN_HOURS),
  }
}

/** The mail that a notice becomes, with its address; undefined where there is nothing to tell any more, or the address had too many. */
export async function noticeContent(
  setting: Setting,
  { kind, details, affiliate_id: id }: NoticeRow,
): Promise<(Told & { to: string }) | undefined> {
  if (kind === 'sign_in_link' || kind === 'confirm_join') {
    const told = await (kind === 'sign_in_link'
      ? signInLink(setting, String(details.email))
      : confirmation(setting, details))
    return told?.to === undefined ? undefined : { ...told, to: told.to }
  }
  const recipient = id === null ? undefined : await findRecipient(setting.tx, setting.accountId, id)
  const told = recipient && (await writers[kind as keyof typeof writers]?.(setting, details, recipient))
  return told && { ...told, to: told.to ?? recipient.email }
}
