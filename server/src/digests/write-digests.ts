import type { Logger } from 'pino'
import { currentTime } from '../db/current-time.ts'
import type { Db, Tx } from '../db/database.ts'
import { isTransient, isUnavailable } from '../db/failures.ts'
import type { SecretBox } from '../kit/secret-box.ts'
import { hasMailsWaiting } from '../mail/mail.store.ts'
import { type MailSettings, sendingServer } from '../mail/servers/sending-server.ts'
import { writeMail } from '../mail/write-mail.ts'
import { type DigestRow, listDigests, lockDigest, saveDigest } from '../programme/digests/digest.store.ts'
import { listSubscribers, type Subscriber } from '../programme/digests/subscriber.store.ts'
import { unsubscribeKey } from '../programme/digests/unsubscribe.ts'
import { mailSender } from '../programme/portal-settings/mail-sender.ts'
import { portalOfAccount } from '../programme/portal-settings/portal.store.ts'
import { affiliateFacts, affiliateMail } from './affiliate-digest.ts'
import { duePeriod, type Period } from './period.ts'
import { isNews, teamFacts, teamMail } from './team-digest.ts'
import { withdrawDigests } from './withdraw-digests.ts'

/** In one turn. Also how many emails may wait when it begins: a sign-in link must not queue behind thousands of digests. */
const SUBSCRIBERS_AT_ONCE = 50

export interface DigestWork {
  baseUrl: string
  secrets: SecretBox
  settings: MailSettings
  log: Logger
  /** Digests that failed, by account, kind and day. They are left to the next day or process, and do not hold up the others. */
  setAside: Set<string>
}

/** Queues the emails of due digests, a bounded number of each per run. Any number of processes may run it concurrently. */
export async function writeDigests(
  db: Db,
  work: DigestWork,
  { at, signal }: { at?: Date; signal?: AbortSignal } = {},
): Promise<void> {
  // By the database's clock, as everything else that is stored: a process whose clock is ahead would use up future periods.
  const now = at ?? new Date(await currentTime(db))
  await withdrawDigests(db)
  for (const digest of await listDigests(db)) {
    if (signal?.aborted) return
    const { account_id, kind } = digest
    const name = `${account_id} ${kind} ${now.toISOString().slice(0, 10)}`
    if (work.setAside.has(name)) continue
    try {
      if (duePeriod(digest, now)) await db.transaction(tx => writeTurn(tx, work, digest, now))
    } catch (error) {
      if (isUnavailable(error) || isTransient(error)) throw error
      work.setAside.add(name)
      work.log.error({ err: error, account_id, kind }, 'could not write a digest')
    }
  }
}

/**
 * The emails of the next subscribers, and how far it is sent, in one transaction under the lock of the digest's row: after a crash both
 * exist or neither does, and no one gets it twice.
 */
async function writeTurn(
  tx: Tx,
  work: DigestWork,
  { account_id: accountId, kind }: DigestRow,
  now: Date,
): Promise<void> {
  // Without a server, nothing would be sent: old digests would pile up among the emails that are kept for reading.
  if (!(await sendingServer(tx, work.settings, accountId))) return
  const digest = await lockDigest(tx, accountId, kind)
  const period = digest && duePeriod(digest, now)
  if (!period || (await hasMailsWaiting(tx, accountId, SUBSCRIBERS_AT_ONCE))) return
  const afterId = digest.due_day === period.dueDay ? digest.after_id : 0
  const subscribers = await listSubscribers(tx, accountId, { kind, afterId, limit: SUBSCRIBERS_AT_ONCE })
  if (kind === 'team') await writeToTeam(tx, work, accountId, period, subscribers)
  else await writeToAffiliates(tx, work, accountId, period, subscribers)
  await saveDigest(tx, accountId, kind, {
    dueDay: period.dueDay,
    afterId: subscribers.at(-1)?.id ?? afterId,
    isDone: subscribers.length < SUBSCRIBERS_AT_ONCE,
  })
}

async function writeToTeam(
  tx: Tx,
  { baseUrl, secrets }: DigestWork,
  accountId: number,
  period: Period,
  members: Subscriber[],
): Promise<void> {
  if (members.length === 0) return
  const facts = await teamFacts(tx, accountId, period)
  if (!isNews(facts)) return
  for (const { id, email } of members) {
    const key = unsubscribeKey(secrets, { accountId, kind: 'team', id })
    const mail = teamMail(facts, baseUrl, `${baseUrl}/unsubscribe/${accountId}/${id}/${key}`)
    await writeMail(tx, accountId, email, mail)
  }
}

async function writeToAffiliates(
  tx: Tx,
  { baseUrl, secrets }: DigestWork,
  accountId: number,
  period: Period,
  affiliates: Subscriber[],
): Promise<void> {
  if (affiliates.length === 0) return
  const { address: portal, sender } = mailSender(baseUrl, await portalOfAccount(tx, accountId))
  const ids = affiliates.map(({ id }) => id)
  const facts = await affiliateFacts(tx, accountId, period, ids)
  for (const { id, email } of affiliates) {
    const own = facts.get(id)
    if (!own) continue
    const key = unsubscribeKey(secrets, { accountId, kind: 'affiliate', id })
    const unsubscribeUrl = `${portal}/unsubscribe/${id}/${key}`
    const mail = affiliateMail(own, period, { company: sender.name, portal, unsubscribeUrl })
    await writeMail(tx, accountId, email, mail, sender)
  }
}
