import { templateKinds, templateVariables } from '@tributary/contract/dashboard'
import { renderMail } from '../../mail/render-mail.ts'
import { defaultTemplates } from '../../mail/templates/default-templates.ts'
import { deleteTemplate, listTemplates, upsertTemplate } from '../../mail/templates/mail-template.store.ts'
import { assertTemplate, sampleMail } from '../../mail/templates/set-template.ts'
import { mailSender } from '../../programme/portal-settings/mail-sender.ts'
import { portalOfAccount } from '../../programme/portal-settings/portal.store.ts'
import type { DashboardHandlers } from '../call.ts'

export const mailTemplateDashboard: DashboardHandlers<
  'listMailTemplates' | 'setMailTemplate' | 'resetMailTemplate'
> = {
  listMailTemplates: async ({ db, accountId }) => {
    const changed = new Map((await listTemplates(db, accountId)).map(row => [row.kind, row]))
    return {
      data: templateKinds.map(kind => {
        const own = changed.get(kind)
        const { subject, body } = own ?? defaultTemplates[kind]
        return {
          kind,
          variables: [...templateVariables[kind]],
          subject,
          body,
          default: defaultTemplates[kind],
          changed_at: own?.updated_at ?? null,
        }
      }),
    }
  },
  setMailTemplate: ({ db, accountId, baseUrl, body: { dry_run, ...template } }) =>
    db.transaction(async tx => {
      assertTemplate(template)
      if (!dry_run) await upsertTemplate(tx, accountId, template)
      const { sender } = mailSender(baseUrl, await portalOfAccount(tx, accountId))
      const mail = sampleMail(template, sender.name)
      return { subject: mail.subject, ...renderMail(mail, sender) }
    }),
  resetMailTemplate: ({ db, accountId, body }) =>
    db.transaction(async tx => {
      await deleteTemplate(tx, accountId, body.kind)
      return {}
    }),
}
