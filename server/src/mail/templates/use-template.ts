import type { Db } from '../../db/database.ts'
import { templateStatuses } from './default-templates.ts'
import { fillTemplate, type TemplateValues } from './fill-template.ts'
import { findTemplate } from './mail-template.store.ts'

/**
 * An email's own text if the account has changed it and it was written for the affiliate's status, with everything else of the
 * email as it is. A subject whose variables have no value stays the default.
 */
export async function withTemplate<Content extends { subject: string; lines: string[] }>(
  db: Db,
  accountId: number,
  { kind, status }: { kind: string; status: string | null },
  content: Content,
  values: TemplateValues,
): Promise<Content> {
  if ((templateStatuses[kind] ?? status) !== status) return content
  const template = await findTemplate(db, accountId, kind)
  if (!template) return content
  const { subject, lines } = fillTemplate(template, values)
  return { ...content, subject: subject.trim() === '' ? content.subject : subject, lines }
}
