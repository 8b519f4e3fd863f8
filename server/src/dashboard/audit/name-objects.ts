import { type AuditEntry, type AuditedKind, auditedFields, auditedKinds } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import type { AuditRow } from '../../programme/audit/audit.store.ts'
import { findAuditedObjects, type ObjectIds } from './audited-objects.store.ts'

/** What the subject of an action is, by the first part of its name; exceptions by its full name. */
const subjects: Record<string, AuditedKind | null> = {
  affiliate: 'affiliate',
  campaign: 'campaign',
  referral: 'referral',
  commission: 'commission',
  payout: 'payout',
  webhook_endpoint: 'webhook_endpoint',
  delivery: 'delivery',
  api_key: 'api_key',
  mail: 'email',
  creative: 'creative',
  team: 'member',
  // The ID of an invitation, which is gone once accepted: the details have the email.
  'team.invite': null,
  'team.withdraw_invitation': null,
  'portal.change_name': 'affiliate',
  'portal.change_leaderboard_name': 'affiliate',
  'portal.change_paypal': 'affiliate',
  'portal.subscribe_to_digest': 'affiliate',
  'digest.subscribe': 'member',
  'portal.join': 'campaign',
}

/** A bulk action has hundreds; the page shows the first of them. */
const MOST_NAMED = 10

const subjectKind = (action: string): AuditedKind | null =>
  (Object.hasOwn(subjects, action) ? subjects[action] : subjects[action.split('.')[0] as string]) ?? null

const idsIn = (value: unknown): number[] =>
  (Array.isArray(value) ? value.slice(0, MOST_NAMED) : [value]).filter(
    (each): each is number => Number.isSafeInteger(each) && each > 0,
  )

/** The objects that an entry mentions. */
function mentioned({ action, subject_id, details }: AuditRow): [AuditedKind, number[]][] {
  const kind = subjectKind(action)
  const before = (details.before ?? {}) as Record<string, unknown>
  const inDetails = Object.entries(auditedFields).map(([field, each]): [AuditedKind, number[]] => [
    each,
    [...idsIn(details[field]), ...idsIn(before[field])],
  ])
  return [
    ...inDetails,
    ...(kind ? [[kind, [...idsIn(subject_id), ...idsIn(details.ids)]] as [AuditedKind, number[]]] : []),
  ]
}

/** Adds the names of the objects that entries mention, with one query for the page. */
export async function nameObjects(db: Db, accountId: number, rows: AuditRow[]): Promise<AuditEntry[]> {
  const ids = Object.fromEntries(auditedKinds.map(kind => [kind, [] as number[]])) as ObjectIds
  for (const row of rows) for (const [kind, some] of mentioned(row)) ids[kind].push(...some)
  const found = await findAuditedObjects(db, accountId, ids)
  const byKey = new Map(found.map(object => [`${object.kind} ${object.id}`, object]))
  return rows.map(row => {
    const keys = mentioned(row).flatMap(([kind, some]) => some.map(id => `${kind} ${id}`))
    const objects = [...new Set(keys)].map(key => byKey.get(key)).filter(object => object !== undefined)
    return { ...row, subject_kind: subjectKind(row.action), objects }
  })
}
