import type { Db, TransactionOptions, Tx } from '../db/database.ts'
import { findTracking } from '../earning/tracking/tracking-settings.store.ts'
import { lockAccount } from '../programme/accounts/account.store.ts'
import { findAffiliate, lockAffiliate } from '../programme/affiliates/affiliate.store.ts'
import { type Actor, type AuditedChange, audited } from '../programme/audit/record-change.ts'
import { findTerms, lockCampaign } from '../programme/campaigns/campaign.store.ts'
import { findPortal } from '../programme/portal-settings/portal.store.ts'

type State = Record<string, unknown>
type ReadState = (tx: Tx, accountId: number, id: number) => Promise<State | undefined>

/** Locked first, as the use case does: the log must show what this change replaced, whatever else changes at the same time. */
const affiliate: ReadState = async (tx, accountId, id) => {
  const [, found] = await tx.inOrder(
    () => lockAffiliate(tx, accountId, id),
    () => findAffiliate(tx, accountId, id),
  )
  if (!found) return undefined
  const { email, name, status, kind, token, coupon_code, paypal_email, tags } = found
  return { email, name, status, kind, token, coupon_code, paypal_email, tags }
}

const campaign: ReadState = async (tx, accountId, id) => {
  const [, found] = await tx.inOrder(
    () => lockCampaign(tx, accountId, id),
    () => findTerms(tx, accountId, id),
  )
  if (!found) return undefined
  const { id: _id, slug, program_type, payout_currency, created_at, rules, ...terms } = found
  return { ...terms, rewards: rules.map(({ version, ...rule }) => rule) }
}

const portal: ReadState = async (tx, accountId) => {
  const [, found] = await tx.inOrder(
    () => lockAccount(tx, accountId),
    () => findPortal(tx, accountId),
  )
  if (!found) return undefined
  const { account_id, account_name, slug, logo_version, ...settings } = found
  return settings
}

const tracking: ReadState = async (tx, accountId) => {
  const [, settings] = await tx.inOrder(
    () => lockAccount(tx, accountId),
    () => findTracking(tx, accountId),
  )
  return { ...settings }
}

/** What the actions that edit an object can change. */
const states: Record<string, ReadState> = {
  'affiliate.update': affiliate,
  'portal.change_name': affiliate,
  'portal.change_paypal': affiliate,
  'campaign.update': campaign,
  'portal.update': portal,
  'tracking.update': tracking,
}

/** The changed fields with their new values, and with the old ones in `before`. */
function difference(before: State | undefined, after: State | undefined): State {
  if (!before || !after) return {}
  const changed = Object.keys(after).filter(
    field => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  )
  const pick = (state: State) => Object.fromEntries(changed.map(field => [field, state[field]]))
  return changed.length === 0 ? {} : { ...pick(after), before: pick(before) }
}

/** As `audited`; an action that edits an object also logs what it replaced. */
export async function auditedEdit<T>(
  db: Db,
  accountId: number,
  actor: Actor,
  { action, id }: { action: string; id: number | undefined },
  work: (tx: Tx) => Promise<T>,
  change: (result: T) => AuditedChange,
  options?: TransactionOptions,
): Promise<T> {
  const read = Object.hasOwn(states, action) ? states[action] : undefined
  if (!read) return audited(db, accountId, actor, work, change, options)
  const edit = async (tx: Tx) => {
    const before = await read(tx, accountId, id ?? accountId)
    const result = await work(tx)
    return { result, changed: difference(before, await read(tx, accountId, id ?? accountId)) }
  }
  const editChange = ({ result, changed }: Awaited<ReturnType<typeof edit>>) => {
    const { details, ...recorded } = change(result)
    return { ...recorded, details: { ...details, ...changed } }
  }
  const { result } = await audited(db, accountId, actor, edit, editChange, options)
  return result
}
