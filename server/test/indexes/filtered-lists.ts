import { lookForMails } from '../../src/dashboard/mail/mail-list.store.ts'
import type { Db } from '../../src/db/database.ts'
import { countClicks, countConversions, sumCommissions } from '../../src/earning/overview/overview.store.ts'
import type { Period } from '../../src/earning/overview/period.store.ts'
import { listReferrals } from '../../src/earning/referrals/referral.store.ts'
import { sumFacts } from '../../src/insight/fact-sums.store.ts'
import { sumSources } from '../../src/insight/source-sums.store.ts'
import { listCommissions } from '../../src/money/commissions/commission.store.ts'
import { listCommissionSummaries } from '../../src/money/commissions/commission-list.store.ts'
import { listPayouts } from '../../src/money/payouts/payout.store.ts'
import { listAffiliates } from '../../src/programme/affiliates/affiliate.store.ts'
import { listAudit } from '../../src/programme/audit/audit.store.ts'
import { listDeliverySummaries } from '../../src/webhooks/endpoints/delivery-log.store.ts'

const [from, to] = ['2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z']
const period: Period = {
  timeZone: 'UTC',
  from,
  to,
  before: { from, to, firstDay: '2026-01-01', lastDay: '2026-01-31', lastDayFrom: from },
  today: '2026-02-01',
  reportingCurrency: null,
  stepDays: 1,
  steps: [],
}
const scope = { accountId: 1, period }

/** Lists and sums whose conditions depend on the request, each with the one that an index is for. */
export const filtered: Record<string, (db: Db) => Promise<unknown>> = {
  'affiliates by kind': db => listAffiliates(db, 1, { kind: 'customer' }),
  'affiliates by status': db => listAffiliates(db, 1, { status: 'pending' }),
  'affiliates by tag': db => listAffiliates(db, 1, { tag: 'partner' }),
  'audit log by action': db => listAudit(db, 1, { action: 'affiliate.create' }),
  'audit log by actor': db => listAudit(db, 1, { actor_kind: 'user' }),
  'clicks of an affiliate in a period': db => countClicks(db, { ...scope, affiliateId: 1 }),
  'commissions by beneficiary': db => listCommissions(db, 1, { beneficiary: 'referee' }),
  'commissions by campaign': db => listCommissions(db, 1, { campaign_id: 1 }),
  'commissions by entry type': db => listCommissions(db, 1, { entry_type: 'clawback' }),
  'commissions by referral': db => listCommissions(db, 1, { referral_id: 1 }),
  'commissions by status': db => listCommissions(db, 1, { status: 'pending' }),
  'commissions in a period': db => sumCommissions(db, scope),
  'commissions that a search found': db =>
    listCommissionSummaries(
      db,
      1,
      {},
      { affiliates: [1, 2], referrals: [1, 2], sales: [{ id: 1, referral_id: 1 }], id: '1' },
    ),
  'deliveries by event': db => listDeliverySummaries(db, 1, { event_id: 1 }),
  'failed deliveries': db => listDeliverySummaries(db, 1, { status: 'failed' }),
  'emails after one': db => lookForMails(db, 1, { after: 1 }),
  'referrals by campaign': db => listReferrals(db, 1, { campaign_id: 1 }),
  'referrals in a period': db => countConversions(db, scope),
  'sales in a period': db =>
    sumFacts(db, { accountId: 1, from: '2026-01-01', to: '2026-01-01', reportingCurrency: null }, 'day', {
      starts: from,
      ends: to,
    }),
  'performance of affiliates in a short period': db =>
    sumFacts(
      db,
      { accountId: 1, from: '2026-01-01', to: '2026-02-01', affiliateIds: [1], reportingCurrency: null },
      'affiliate',
    ),
  'performance of a day': db =>
    sumFacts(db, { accountId: 1, from: '2026-01-01', to: '2026-01-01', reportingCurrency: null }, 'campaign'),
  'performance by device': db =>
    sumSources(db, { accountId: 1, from: '2026-01-01', to: '2026-02-01', reportingCurrency: null }, 'device'),
  'performance of affiliates in another currency': db =>
    sumFacts(
      db,
      { accountId: 1, from: '2026-01-01', to: '2026-02-01', reportingCurrency: 'EUR' },
      'affiliate',
    ),
  'payouts by status': db => listPayouts(db, 1, { status: 'pending' }),
}
