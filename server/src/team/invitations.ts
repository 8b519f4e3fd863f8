import type { Role } from '@tributary/contract/dashboard'
import { accountName } from '../accounts/account-name.ts'
import { hashPassword, verifyPassword } from '../accounts/password.ts'
import { addUser, userByEmail } from '../accounts/users.ts'
import { recordChange } from '../audit/record-change.ts'
import type { Db } from '../db/database.ts'
import { conflict, DomainError, invalidState } from '../kit/domain-error.ts'
import { newLinkToken, sha256 } from '../kit/tokens.ts'
import { writeMail } from '../mail/write-mail.ts'
import {
  deleteInvitation,
  findInvitation,
  insertInvitation,
  insertMember,
  isMember,
  type OpenInvitation,
} from './team.store.ts'
import { setUserName } from './user.store.ts'

const DAYS = 7

const gone = () =>
  new DomainError('invalid_state', 'This invitation has been used, withdrawn, or is too old.')

/** Invites a person by mail. Returns the link, for an installation that cannot send mails. */
export function invite(
  db: Db,
  baseUrl: string,
  accountId: number,
  invitation: { email: string; role: Role; invitedBy: number },
): Promise<{ id: number; link: string }> {
  return db.transaction(async tx => {
    if (await isMember(tx, accountId, invitation.email))
      throw conflict('email belongs to somebody on the team already.')
    const token = newLinkToken()
    const id = await insertInvitation(tx, accountId, { ...invitation, tokenHash: sha256(token), days: DAYS })
    const link = `${baseUrl}/dashboard/invitation#${token}`
    const company = await accountName(tx, accountId)
    // It opens a door to the account for one person, so nobody else on the team may read it later.
    await writeMail(tx, null, invitation.email, {
      kind: 'team_invitation',
      subject: `${company} invites you to run its partner programme`,
      lines: [`You are invited to the partner programme of ${company}, as ${invitation.role}.`],
      action: { label: 'Accept the invitation', url: link },
      note: `The link works once, within ${DAYS} days.`,
    })
    return { id, link }
  })
}

/** What the page of an invitation shows. */
export async function lookAtInvitation(
  db: Db,
  token: string,
): Promise<Pick<OpenInvitation, 'account_name' | 'email' | 'role'> & { is_known: boolean }> {
  const found = await findInvitation(db, sha256(token))
  if (!found) throw gone()
  const { account_name, email, role } = found
  return { account_name, email, role, is_known: (await userByEmail(db, email)) !== undefined }
}

/**
 * Joins the team. Somebody who is known proves it by their password; anybody else chooses one. Returns the user. Of two who come
 * with the same link at once, one joins.
 */
export async function acceptInvitation(
  db: Db,
  token: string,
  person: { password: string; name: string | null; address: string },
): Promise<number> {
  const passwordHash = await hashPassword(person.password)
  return db.transaction(async tx => {
    const found = await findInvitation(tx, sha256(token))
    if (!found) throw gone()
    const known = await userByEmail(tx, found.email)
    if (known && !(await verifyPassword(known.password_hash, person.password)))
      throw new DomainError('unauthorized', 'The password is not the one you sign in with.')
    const userId = known?.id ?? (await addUser(tx, found.email, passwordHash))
    if (userId === undefined) throw invalidState('Somebody is accepting this invitation at this moment.')
    if (!(await deleteInvitation(tx, found.account_id, found.id))) throw gone()
    if (person.name) await setUserName(tx, userId, person.name)
    await insertMember(tx, found.account_id, userId, found.role)
    const actor = { kind: 'user', id: userId, name: found.email, address: person.address } as const
    const change = { action: 'team.join', subjectId: userId, details: { role: found.role } }
    await recordChange(tx, found.account_id, actor, change)
    return userId
  })
}
