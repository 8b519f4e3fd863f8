import { type Static, Type } from 'typebox'
import { closed, nullable, OneLine, oneOf, PlainText, Timestamp } from '../fields.ts'
import { allOf, change, Done, read } from './schema.ts'

/**
 * Emails whose text an account can change, with their variables. Notices of changed addresses are not among them: an
 * intruder could hide the change in a text of their choice.
 */
export const templateVariables = {
  sign_in_link: ['company'],
  invitation: ['company', 'affiliate'],
  confirm_join: ['company', 'campaign'],
  joined: ['company', 'affiliate', 'campaign'],
  approved: ['company', 'affiliate'],
  rejected: ['company', 'affiliate', 'reason'],
  first_commission: ['company', 'affiliate', 'amount', 'clears_on'],
  payout_sent: ['company', 'affiliate', 'amount', 'address'],
  payout_failed: ['company', 'affiliate', 'amount', 'reason'],
} as const
export type TemplateKind = keyof typeof templateVariables
export const templateKinds = Object.keys(templateVariables) as TemplateKind[]

export const LONGEST_TEMPLATE = 5000

const Kind = oneOf(templateKinds)
const text = { subject: OneLine(200), body: PlainText(LONGEST_TEMPLATE) }

export const MailTemplate = closed({
  kind: Kind,
  variables: Type.Array(Type.String()),
  subject: Type.String(),
  /** Blank lines separate paragraphs. The button and the branding are added to it. */
  body: Type.String(),
  /** The text that comes with the program; the subject and the body if it is not changed. */
  default: closed({ subject: Type.String(), body: Type.String() }),
  /** Null if it is not changed. */
  changed_at: nullable(Timestamp),
})
export type MailTemplate = Static<typeof MailTemplate>

export const mailTemplatesSchemas = {
  listMailTemplates: read(allOf(MailTemplate)),
  /** A dry run stores nothing; both return the email with sample values. */
  setMailTemplate: change(
    closed({ kind: Kind, ...text, dry_run: Type.Boolean() }),
    closed({ subject: Type.String(), html: Type.String(), text: Type.String() }),
  ),
  resetMailTemplate: change(closed({ kind: Kind }), Done),
}
