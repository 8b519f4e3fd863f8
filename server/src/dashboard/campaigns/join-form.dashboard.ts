import { notFound } from '../../kit/domain-error.ts'
import { affiliateExists } from '../../programme/affiliates/affiliate-exists.ts'
import { deleteAnswers, listApplications } from '../../programme/join-forms/application.store.ts'
import { showJoinForm, updateJoinForm } from '../../programme/join-forms/update-join-form.ts'
import type { DashboardHandlers } from '../call.ts'

export const joinFormDashboard: DashboardHandlers<
  'getJoinForm' | 'updateJoinForm' | 'listApplications' | 'deleteAnswers'
> = {
  getJoinForm: ({ db, accountId, id }) => showJoinForm(db, accountId, id),
  updateJoinForm: async ({ db, accountId, id, body, note }) => {
    const form = await updateJoinForm(db, accountId, id, body)
    const { version, terms_version, questions } = form
    // The terms are kept with all their versions, so the log names only the version.
    note({
      version,
      terms_version,
      questions: questions.map(({ label }) => label).join('; '),
      terms_text: '…',
    })
    return form
  },
  listApplications: async ({ db, accountId, id }) => {
    if (!(await affiliateExists(db, accountId, id))) throw notFound('affiliate')
    return { data: await listApplications(db, accountId, id) }
  },
  deleteAnswers: ({ db, accountId, id, note }) =>
    db.transaction(async tx => {
      if (!(await affiliateExists(tx, accountId, id))) throw notFound('affiliate')
      note({ deleted: await deleteAnswers(tx, accountId, id) })
      return {}
    }),
}
