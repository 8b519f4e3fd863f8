import { invalid, notFound } from '../../kit/domain-error.ts'
import { pageAfter } from '../../kit/page.ts'
import { inviteAffiliate } from '../../programme/affiliate-contact/invite-affiliate.ts'
import { messageAffiliate } from '../../programme/affiliate-contact/message-affiliate.ts'
import { deleteNote, insertNote, listNotes } from '../../programme/affiliate-notes/affiliate-note.store.ts'
import { affiliateExists } from '../../programme/affiliates/affiliate-exists.ts'
import { mintMagicLink } from '../../programme/magic-links/mint-magic-link.ts'
import { viewAsAffiliate } from '../../programme/portal-views/portal-views.ts'
import type { DashboardHandlers } from '../call.ts'

/** Time to pass a link on. The API's links last 15 minutes, since a merchant's site follows them at once. */
const COPIED_LINK_SECONDS = 86_400
/** Notes and messages are read where they are kept; the audit log, which nothing is deleted from, does without. */
const LEFT_OUT = { text: '…' }

export const affiliateContactDashboard: DashboardHandlers<
  | 'inviteAffiliate'
  | 'createSignInLink'
  | 'viewAsAffiliate'
  | 'messageAffiliate'
  | 'listNotes'
  | 'addNote'
  | 'deleteNote'
> = {
  inviteAffiliate: async ({ accountId, id, note, ...services }) => {
    const sent = await inviteAffiliate(services, accountId, id)
    note(sent)
    return sent
  },
  createSignInLink: ({ accountId, id, ...services }) =>
    mintMagicLink(services, accountId, id, { page: 'enter', lifetimeSeconds: COPIED_LINK_SECONDS }),
  viewAsAffiliate: ({ accountId, id, userId, ...services }) =>
    viewAsAffiliate(services, accountId, id, userId),
  messageAffiliate: async ({ accountId, id, userId, body, note, ...services }) => {
    const sent = await messageAffiliate(services, accountId, id, { ...body, userId })
    note({ ...sent, ...LEFT_OUT })
    return sent
  },
  listNotes: async ({ db, accountId, id, query }) => {
    if (!(await affiliateExists(db, accountId, id))) throw notFound('affiliate')
    return pageAfter(await listNotes(db, accountId, id, query), query.limit)
  },
  addNote: ({ db, accountId, id, userId, body, note }) =>
    db.transaction(async tx => {
      const text = body.text.trim()
      if (text === '') throw invalid('text', 'must not be blank')
      const added = await insertNote(tx, accountId, { affiliateId: id, userId, text })
      if (!added) throw notFound('affiliate')
      note({ note_id: added.id, ...LEFT_OUT })
      return added
    }),
  deleteNote: ({ db, accountId, id, body }) =>
    db.transaction(async tx => {
      if (!(await deleteNote(tx, accountId, id, body.note_id))) throw notFound('note')
      return {}
    }),
}
