import { randomInt } from 'node:crypto'
import type { Db } from '../../db/database.ts'
import { DomainError, invalidState } from '../../kit/domain-error.ts'
import { sha256 } from '../../kit/tokens.ts'
import { anyAccountExists, type UserRow } from '../accounts/account.store.ts'
import { createAccount, type NewAccount } from '../accounts/create-account.ts'
import { recordChange } from '../audit/record-change.ts'
import { findPasswordHash, insertSetupCode, takeSetupCode } from './user.store.ts'

/** Without ambiguous letters and digits, since the code is typed from the terminal. */
const ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'

const normalized = (code: string) => code.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')

/** Creates the setup code printed in the server's output, which authorizes creating the first account. */
export async function newSetupCode(db: Db): Promise<string> {
  const letters = Array.from({ length: 12 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  await insertSetupCode(db, sha256(letters))
  return letters.replace(/(.{4})(.{4})(.{4})/, '$1-$2-$3')
}

export const alreadySetUp = () => invalidState('This installation is already set up. Sign in instead.')

/** Creates the first account and returns its owner. */
export function setUp(db: Db, code: string, account: NewAccount, address: string): Promise<UserRow> {
  return db.transaction(async tx => {
    if (await anyAccountExists(tx)) throw alreadySetUp()
    if (!(await takeSetupCode(tx, sha256(normalized(code)))))
      throw new DomainError(
        'unauthorized',
        'The setup code is incorrect. Enter the code that the server printed when it started.',
      )
    const made = await createAccount(tx, account)
    const actor = { kind: 'user', id: made.user_id, name: account.email, address } as const
    const details = { name: account.name, slug: made.slug, time_zone: account.timeZone ?? 'UTC' }
    await recordChange(tx, made.account_id, actor, {
      action: 'account.create',
      subjectId: made.account_id,
      details,
    })
    return { id: made.user_id, password_hash: (await findPasswordHash(tx, made.user_id)) as string }
  })
}
