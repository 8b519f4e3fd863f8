import type { Logger } from 'pino'
import type { Db, Tx } from '../../db/database.ts'
import { isTransient, isUnavailable } from '../../db/failures.ts'
import { deleteNotices, type NoticeRow, takeNotices } from '../../mail/notices/notice.store.ts'
import type { Mail } from '../../mail/render-mail.ts'
import { withTemplate } from '../../mail/templates/use-template.ts'
import { writeMail } from '../../mail/write-mail.ts'
import { mailSender } from '../../programme/portal-settings/mail-sender.ts'
import { portalOfAccount } from '../../programme/portal-settings/portal.store.ts'
import { noticeContent } from './notice-content.ts'

const NOTICES_AT_ONCE = 100

export interface NoticeWork {
  baseUrl: string
  log: Logger
  /** Notices that failed to render. They are left to the next process, which may be a later version, and do not block the queue. */
  setAside: Set<number>
}

/** Renders recorded notices into queued emails with each account's branding. Kinds that an account has turned off are dropped. */
export async function writeNotices(db: Db, work: NoticeWork, signal?: AbortSignal): Promise<void> {
  for (let taken = NOTICES_AT_ONCE; taken === NOTICES_AT_ONCE && !signal?.aborted; )
    taken = await db.transaction(tx => writeSome(tx, work))
}

async function writeSome(tx: Tx, { baseUrl, log, setAside }: NoticeWork): Promise<number> {
  const notices = await takeNotices(tx, NOTICES_AT_ONCE, [...setAside])
  for (const notice of notices)
    try {
      await tx.transaction(inner => writeOne(inner, baseUrl, notice))
    } catch (error) {
      if (isUnavailable(error) || isTransient(error)) throw error
      const { id, kind, account_id } = notice
      setAside.add(id)
      log.error({ err: error, notice_id: id, kind, account_id }, 'could not render a notice')
    }
  await deleteNotices(
    tx,
    notices.filter(({ id }) => !setAside.has(id)),
  )
  return notices.length
}

async function writeOne(tx: Tx, baseUrl: string, notice: NoticeRow): Promise<void> {
  const portal = await portalOfAccount(tx, notice.account_id)
  if (portal.silent_mails.some(kind => kind === notice.kind)) return
  const { address, sender } = mailSender(baseUrl, portal)
  const company = sender.name
  const content = await noticeContent({ tx, accountId: notice.account_id, company }, notice)
  if (!content) return
  const { values, affiliate, status, ...plain } = content
  const template = { kind: notice.kind, status }
  const { to, action, ...text } = await withTemplate(tx, notice.account_id, template, plain, {
    ...values,
    company,
    affiliate,
  })
  const mail: Mail = {
    kind: notice.kind,
    ...text,
    ...(action && { action: { label: action.label, url: `${address}${action.page}` } }),
  }
  await writeMail(tx, notice.account_id, to, mail, sender)
}
