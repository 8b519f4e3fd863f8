import type { digestKinds } from '@tributary/contract/dashboard'
import { currentTime } from '../../db/current-time.ts'
import type { Db } from '../../db/database.ts'
import { affiliateMail, sampleFacts } from '../../digests/affiliate-digest.ts'
import { lastPeriod, localTime } from '../../digests/period.ts'
import { teamFacts, teamMail } from '../../digests/team-digest.ts'
import { notFound } from '../../kit/domain-error.ts'
import { renderMail } from '../../mail/render-mail.ts'
import { findAccount } from '../../programme/accounts/account.store.ts'
import { findDigestKinds, turnOffDigest, turnOnDigest } from '../../programme/digests/digest.store.ts'
import { isSubscribed, saveSubscription } from '../../programme/digests/subscriber.store.ts'
import { mailSender } from '../../programme/portal-settings/mail-sender.ts'
import { portalOfAccount } from '../../programme/portal-settings/portal.store.ts'
import type { DashboardHandlers } from '../call.ts'

async function periodOf(db: Db, accountId: number, kind: (typeof digestKinds)[number]) {
  const account = await findAccount(db, accountId)
  if (!account) throw notFound('account')
  return lastPeriod(kind, localTime(new Date(await currentTime(db)), account.time_zone))
}

export const digestDashboard: DashboardHandlers<
  'getDigests' | 'switchDigest' | 'subscribeToDigest' | 'previewDigest'
> = {
  getDigests: async ({ db, accountId, userId }) => {
    const kinds = await findDigestKinds(db, accountId)
    return {
      team: kinds.includes('team'),
      affiliate: kinds.includes('affiliate'),
      is_subscribed: await isSubscribed(db, accountId, userId),
    }
  },
  switchDigest: ({ db, accountId, body: { kind, is_on } }) =>
    db.transaction(async tx => {
      await (is_on ? turnOnDigest : turnOffDigest)(tx, accountId, kind)
      return {}
    }),
  subscribeToDigest: ({ db, accountId, userId, body }) =>
    db.transaction(async tx => {
      const subscription = { kind: 'team', id: userId, isSubscribed: body.is_subscribed } as const
      await saveSubscription(tx, accountId, subscription)
      return {}
    }),
  /** The link to unsubscribe leads nowhere: it would unsubscribe the reader. */
  previewDigest: async ({ db, accountId, baseUrl, query: { kind } }) => {
    const period = await periodOf(db, accountId, kind)
    if (kind === 'team') {
      const mail = teamMail(await teamFacts(db, accountId, period), baseUrl, '#')
      return { subject: mail.subject, ...renderMail(mail) }
    }
    const { address: portal, sender } = mailSender(baseUrl, await portalOfAccount(db, accountId))
    const mail = affiliateMail(sampleFacts, period, { company: sender.name, portal, unsubscribeUrl: '#' })
    return { subject: mail.subject, ...renderMail(mail, sender) }
  },
}
