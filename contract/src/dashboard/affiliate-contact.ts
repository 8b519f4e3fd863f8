import { type Static, Type } from 'typebox'
import { Count, closed, Id, OneLine, PlainText, Timestamp } from '../fields.ts'
import { change, Done, pageOf, pageQuery, read } from './schema.ts'

/** An internal note about an affiliate. No call of the portal returns it, and neither does the public API. */
export const AffiliateNote = closed({
  id: Id,
  /** The author's name, or their email. */
  author: Type.String(),
  text: Type.String(),
  created_at: Timestamp,
})
export type AffiliateNote = Static<typeof AffiliateNote>

export const LONGEST_NOTE = 5000
export const LONGEST_MESSAGE = 10_000

/** The email address that an invitation or a message is sent to. */
const Sent = closed({ to: Type.String() })

export const affiliateContactSchemas = {
  /** Emails a sign-in link. Refused without an SMTP server. */
  inviteAffiliate: change(closed({}), Sent),
  createSignInLink: change(closed({}), closed({ url: Type.String(), expires_in: Count })),
  /** The address that opens the portal as the affiliate sees it, without the permission to change anything. */
  viewAsAffiliate: change(closed({}), closed({ url: Type.String() })),
  messageAffiliate: change(closed({ subject: OneLine(200), text: PlainText(LONGEST_MESSAGE) }), Sent),
  listNotes: read(pageOf(AffiliateNote), closed(pageQuery)),
  addNote: change(closed({ text: PlainText(LONGEST_NOTE) }), AffiliateNote),
  deleteNote: change(closed({ note_id: Id }), Done),
}
