import type { Leaderboard } from '@tributary/contract/portal'
import { listedScope } from '../insight/listed-performance.ts'
import { invalid, notFound } from '../kit/domain-error.ts'
import {
  deleteLeaderboardName,
  findLeaderboardName,
  saveLeaderboardName,
} from '../programme/leaderboard/leaderboard-name.store.ts'
import { portalOfAccount } from '../programme/portal-settings/portal.store.ts'
import type { PortalCall, PortalHandlers } from './call.ts'
import { findPlaces } from './leaderboard.store.ts'

/** The places of the current month; null if the company shows none, or hasn't approved the affiliate: anyone can join. */
async function showLeaderboard({
  db,
  accountId,
  affiliateId,
  status,
}: PortalCall<'getLeaderboard'>): Promise<Leaderboard | null> {
  if (status !== 'approved') return null
  const { leaderboard: by, leaderboard_numbers: hasNumbers } = await portalOfAccount(db, accountId)
  const scope = by && (await listedScope(db, accountId, { period: 'month', sort: by }))
  if (!by || !scope) return null
  // Affiliates see amounts in the currency that they earn in.
  const rows = await findPlaces(db, { ...scope, reportingCurrency: null }, by, affiliateId)
  const own = await findLeaderboardName(db, accountId, affiliateId)
  return {
    by,
    from: scope.from,
    to: scope.to,
    currency: rows[0]?.currency ?? null,
    rows: rows.map(({ place, value, is_me, name }) => ({
      place,
      name,
      is_me,
      value: hasNumbers || is_me ? value : null,
    })),
    shown_as: own ? (own.nickname === null ? 'name' : 'nickname') : 'hidden',
    nickname: own?.nickname ?? null,
  }
}

export const leaderboardHandlers: PortalHandlers<'getLeaderboard' | 'changeLeaderboardName'> = {
  getLeaderboard: async call => ({ leaderboard: await showLeaderboard(call) }),
  changeLeaderboardName: async ({ db, accountId, affiliateId, body }) => {
    const { leaderboard } = await portalOfAccount(db, accountId)
    if (!leaderboard) throw notFound('leaderboard')
    const nickname = body.nickname?.trim() || null
    if (body.shown_as === 'nickname' && nickname === null) throw invalid('nickname', 'must not be empty')
    await db.transaction(tx =>
      body.shown_as === 'hidden'
        ? deleteLeaderboardName(tx, accountId, affiliateId)
        : saveLeaderboardName(tx, accountId, affiliateId, body.shown_as === 'nickname' ? nickname : null),
    )
    return {}
  },
}
