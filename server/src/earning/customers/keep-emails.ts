import { emailPattern } from '@tributary/contract'
import type { Db, Tx } from '../../db/database.ts'
import { invalidState } from '../../kit/domain-error.ts'
import { saveKeepsEmails } from '../../programme/accounts/account.store.ts'
import {
  eraseEmails,
  hasUnkeptEmails,
  listToErase,
  saveEmail,
  saveEmailIfReferred,
  saveEmailOfClick,
} from './customer-email.store.ts'

const LONGEST_EMAIL = 254
const isEmail = new RegExp(emailPattern, 'u')
/** A billing system may report anything. */
const isStorable = (email: string | null | undefined): email is string =>
  typeof email === 'string' && email.length <= LONGEST_EMAIL && isEmail.test(email)

/** Keeps the address of a customer whose conversion is reported: the reported one, otherwise the one that the click's visitor left. */
export function keepReportedEmail(
  tx: Tx,
  accountId: number,
  { customer_ref, customer_email: email }: { customer_ref: string; customer_email?: string | null },
  clickId: number | undefined,
): void {
  if (isStorable(email)) saveEmail(tx, accountId, { customerRef: customer_ref, email })
  else if (clickId !== undefined) saveEmailOfClick(tx, accountId, { customerRef: customer_ref, clickId })
}

/** Keeps the address that a billing system reports, of a referred customer only. */
export function keepBillingEmail(
  tx: Tx,
  accountId: number,
  customerRef: string,
  email: string | undefined,
): void {
  if (isStorable(email)) saveEmailIfReferred(tx, accountId, { customerRef, email })
}

/**
 * Turned off, addresses are no longer shown and are erased: some thousands at once, more in the background. Turned on again, those from before
 * must not reappear.
 */
export function changeEmailKeeping(db: Db, accountId: number, keeps: boolean): Promise<void> {
  return db.transaction(async tx => {
    if (!keeps) await saveKeepsEmails(tx, accountId, false)
    await eraseEmails(tx, accountId)
    if (!keeps) return
    if (await hasUnkeptEmails(tx, accountId))
      throw invalidState('Earlier addresses are still being erased. Try again in a minute.')
    await saveKeepsEmails(tx, accountId, true)
  })
}

/** Erases what is left of the addresses of accounts that no longer keep them. */
export async function eraseUnkeptEmails(db: Db, signal?: AbortSignal): Promise<void> {
  for (const accountId of await listToErase(db))
    while (!signal?.aborted && !(await db.transaction(tx => eraseEmails(tx, accountId))));
}
