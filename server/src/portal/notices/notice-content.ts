import type { AffiliateMail } from '@tributary/contract/dashboard'
import { date, emails } from '@tributary/contract/portal/texts'
import type { Tx } from '../../db/database.ts'
import { formatMinor } from '../../kit/money.ts'
import { newLinkToken, sha256 } from '../../kit/tokens.ts'
import { countMailsTo, type NoticeRow } from '../../mail/notices/notice.store.ts'
import type { TemplateValues } from '../../mail/templates/fill-template.ts'
import { issueMagicLink, LIFETIME_SECONDS } from '../../programme/magic-links/mint-magic-link.ts'
import { countUsedLinksOf } from '../../programme/portal-access/portal-session.store.ts'
import { countJoinsOf, insertJoin, type JoinRow } from '../join.store.ts'
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

/**
 * Per address, so that a public form can't be used to flood an inbox. Counted for as long as a link works: a stranger who uses up the
 * limit leaves the affiliate a link that works.
 */
const LINKS_PER_LIFETIME = 2
/** One that was used, which a stranger can't do, is followed by another, as on a second device. */
const MOST_PER_LIFETIME = 8
const JOINS_PER_HOUR = 5
const JOIN_HOURS = 24
const HOUR_SECONDS = 3600

interface Setting {
  tx: Tx
  accountId: number
  company: string
}

/** An email's content, and the portal page of its button. Goes to the affiliate unless `to` is set. */
interface Content {
  to?: string
  subject: string
  lines: string[]
  /** What a changed text can contain, beside the company and the affiliate. */
  values?: TemplateValues
  action?: { label: string; page: string }
  note?: string
}
/** Undefined when the notice no longer applies. */
type Writer = (
  setting: Setting,
  details: Record<string, unknown>,
  recipient: Recipient,
) => Promise<Content | undefined>

const money = (amountMinor: number, currency: string) => `${formatMinor(amountMinor, currency)} ${currency}`

/** Writes the content of each kind of notice. */
const writers: Record<Exclude<AffiliateMail, 'sign_in_link'>, Writer> = {
  joined: async ({ tx, accountId, company }, details, { status }) => {
    const campaign = await findCampaignName(tx, accountId, Number(details.campaign_id))
    if (campaign === undefined || status === 'rejected') return undefined
    const { subject, action, ...lines } = emails.joined
    return {
      subject: subject(company),
      lines: lines[status](company, campaign),
      values: { campaign },
      action: { label: action, page: '' },
    }
  },
  approved: async ({ company }, _details, { status }) => {
    if (status !== 'approved') return undefined
    const { subject, lines, action } = emails.approved
    return { subject: subject(company), lines: lines(company), action: { label: action, page: '/links' } }
  },
  rejected: async ({ company }, { reason }, { status }) => {
    if (status !== 'rejected') return undefined
    const { subject, lines } = emails.rejected
    const shared = typeof reason === 'string' ? reason : null
    return { subject: subject(company), lines: lines(company, shared), values: { reason: shared } }
  },
  first_commission: async ({ tx, accountId, company }, details, { email }) => {
    const found = await findFirstCommission(tx, accountId, Number(details.commission_id))
    // A commission with a lower id may commit after an email about a later one was already written.
    if (!found || (await countMailsTo(tx, accountId, 'first_commission', email, HOUR_SECONDS)) > 0)
      return undefined
    const { subject, lines, action } = emails.first_commission
    const amount = money(found.payout_amount_minor, found.payout_currency)
    const clearsOn = found.hold_day && date(found.hold_day)
    return {
      subject: subject(),
      lines: lines(company, amount, clearsOn),
      values: { amount, clears_on: clearsOn },
      action: { label: action, page: '/referrals' },
    }
  },
  payout_sent: aboutPayout(emails.payout_sent, '/payouts', 'address', ({ sent_to }) => sent_to),
  payout_failed: (setting, details, recipient) => {
    const texts = details.is_returned ? emails.payout_returned : emails.payout_failed
    return aboutPayout(texts, '/settings', 'reason', ({ reason }) => reason)(setting, details, recipient)
  },
  paypal_changed: async ({ company }, details) => {
    const { subject, lines, action } = emails.paypal_changed
    const changedTo = details.paypal_email === null ? null : String(details.paypal_email)
    return {
      to: String(details.to),
      subject: subject(),
      lines: lines(company, changedTo),
      action: { label: action, page: '/settings' },
    }
  },
  email_changed: async ({ company }, details) => {
    const { subject, lines } = emails.email_changed
    return { to: String(details.to), subject: subject(), lines: lines(company, String(details.email)) }
  },
}

/** Where a payment went, or why it failed. */
function aboutPayout(
  { subject, lines, action }: (typeof emails)['payout_sent' | 'payout_failed' | 'payout_returned'],
  page: string,
  variable: 'address' | 'reason',
  fact: (item: PaidItem) => string | null,
): Writer {
  return async ({ tx, accountId, company }, details) => {
    const item = await findPayoutItem(tx, accountId, Number(details.item_id))
    if (!item) return undefined
    const amount = money(item.amount_minor, item.currency)
    return {
      subject: subject(amount),
      lines: lines(company, amount, fact(item)),
      values: { amount, [variable]: fact(item) },
      action: { label: action, page },
    }
  }
}

/** A sign-in link, if the address belongs to an affiliate. */
async function signInLink({ tx, accountId, company }: Setting, email: string): Promise<Content | undefined> {
  // Locked, so that a concurrent change of email either commits first or sees this link and voids it.
  const recipient = await lockRecipientByEmail(tx, accountId, email)
  if (!recipient || recipient.status === 'rejected') return undefined
  const sent = await countMailsTo(tx, accountId, 'sign_in_link', recipient.email, LIFETIME_SECONDS)
  const used = await countUsedLinksOf(tx, accountId, recipient.id)
  if (sent >= Math.min(LINKS_PER_LIFETIME + used, MOST_PER_LIFETIME)) return undefined
  const token = await issueMagicLink(tx, accountId, recipient.id)
  const { subject, lines, action, note } = emails.sign_in_link
  return {
    to: recipient.email,
    subject: subject(company),
    lines: lines(company),
    // Leads to a page with a button: mail scanners follow links and run scripts before the recipient does.
    action: { label: action, page: `/enter/${token}` },
    note: note(LIFETIME_SECONDS / 60),
  }
}

/** Confirms that the person who wants to join owns the address. Existing affiliates get the same email. */
async function confirmation(
  { tx, accountId, company }: Setting,
  details: Record<string, unknown>,
): Promise<Content | undefined> {
  const email = String(details.email)
  const campaignId = Number(details.campaign_id)
  const campaign = await findCampaignName(tx, accountId, campaignId)
  const recipient = await findRecipientByEmail(tx, accountId, email)
  if (campaign === undefined || recipient?.status === 'rejected') return undefined
  if ((await countJoinsOf(tx, accountId, email)) >= JOINS_PER_HOUR) return undefined
  const token = newLinkToken()
  const name = typeof details.name === 'string' ? details.name : null
  const { answers, terms_version } = details as Partial<JoinRow>
  await insertJoin(tx, accountId, {
    campaign_id: campaignId,
    email,
    name,
    answers: answers ?? null,
    terms_version: terms_version ?? null,
    tokenHash: sha256(token),
    lifetimeHours: JOIN_HOURS,
  })
  const { subject, lines, action, note } = emails.confirm_join
  return {
    // To an existing affiliate's stored address, not to an equivalent spelling of it.
    to: recipient?.email ?? email,
    subject: subject(company),
    lines: lines(company, campaign),
    values: { campaign },
    action: { label: action, page: `/confirm/${token}` },
    note: note(JOIN_HOURS, typeof terms_version === 'number'),
  }
}

/** A notice's email with its recipient; undefined when the notice no longer applies or the address has reached its limit. */
export async function noticeContent(
  setting: Setting,
  { kind, details, affiliate_id: id }: NoticeRow,
): Promise<
  (Content & { to: string; affiliate: string | null; status: Recipient['status'] | null }) | undefined
> {
  if (kind === 'sign_in_link' || kind === 'confirm_join') {
    const content = await (kind === 'sign_in_link'
      ? signInLink(setting, String(details.email))
      : confirmation(setting, details))
    return content?.to === undefined
      ? undefined
      : { ...content, to: content.to, affiliate: null, status: null }
  }
  const recipient = id === null ? undefined : await findRecipient(setting.tx, setting.accountId, id)
  const content = recipient && (await writers[kind as keyof typeof writers]?.(setting, details, recipient))
  return (
    content && {
      ...content,
      to: content.to ?? recipient.email,
      affiliate: recipient.name ?? recipient.email,
      status: recipient.status,
    }
  )
}
