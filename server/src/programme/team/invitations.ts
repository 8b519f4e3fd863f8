import { type InvitationInfo, mayGrant, type Role } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { conflict, DomainError, invalidState, notFound } from '../../kit/domain-error.ts'
import { LimitedLookup } from '../../kit/shared-lookup.ts'
import { isLinkToken, newLinkToken, sha256 } from '../../kit/tokens.ts'
import { writeMail } from '../../mail/write-mail.ts'
import { findAccount, findUserByEmail, insertUser } from '../accounts/account.store.ts'
import { recordChange } from '../audit/record-change.ts'
import {
  deleteInvitation,
  findInvitations,
  insertInvitation,
  insertMember,
  isMember,
  lockMembers,
  lockRole,
  type OpenInvitation,
} from './team.store.ts'
import { setUserName } from './user.store.ts'

const DAYS = 7

const gone = () =>
  new DomainError('invalid_state', 'This invitation has been used, withdrawn, or is too old.')

/** Finds open invitations by the digest of their token. */
export const invitationLookup = (db: Db): LimitedLookup<OpenInvitation> =>
  new LimitedLookup(asked =>
    findInvitations(
      db,
      asked.map(({ digest }) => digest),
    ),
  )

/** Invites a person by mail. Returns the link, for an installation that cannot send mails. */
export function invite(
  db: Db,
  baseUrl: string,
  accountId: number,
  invitation: { email: string; role: Role; invitedBy: number },
): Promise<{ id: number; link: string }> {
  return db.transaction(async tx => {
    // Invitations and changes of the team take turns: of two invitations of one person the second takes the place of the first.
    const members = await lockMembers(tx, accountId)
    const inviterRole = members.find(({ user_id }) => user_id === invitation.invitedBy)?.role
    if (inviterRole === undefined || !mayGrant(inviterRole, invitation.role))
      throw new DomainError('forbidden', 'Your role no longer allows this invitation.')
    if (await isMember(tx, accountId, invitation.email))
      throw conflict('email belongs to somebody on the team already.')
    const token = newLinkToken()
    const id = await insertInvitation(tx, accountId, { ...invitation, tokenHash: sha256(token), days: DAYS })
    const link = `${baseUrl}/dashboard/invitation#${token}`
    const account = await findAccount(tx, accountId)
    if (!account) throw notFound('account')
    // It opens a door to the account for one person, so nobody else on the team may read it later.
    await writeMail(tx, null, invitation.email, {
      kind: 'team_invitation',
      subject: `${account.name} invites you to run its partner programme`,
      lines: [`You are invited to the partner programme of ${account.name}, as ${invitation.role}.`],
      action: { label: 'Accept the invitation', url: link },
      note: `The link works once, within ${DAYS} days.`,
    })
    return { id, link }
  })
}

/** An invitation gives no more than its inviter could still give. */
const isGood = ({ inviter_role, role }: OpenInvitation) =>
  inviter_role !== null && mayGrant(inviter_role, role)

/** The invitation, if it can still be accepted; looking changes nothing. */
export async function openInvitation(
  lookup: LimitedLookup<OpenInvitation>,
  token: string,
  isWithinLimit: boolean,
): Promise<OpenInvitation> {
  const found = isLinkToken(token) ? await lookup.get(sha256(token), isWithinLimit) : undefined
  if (!found || !isGood(found)) throw gone()
  return found
}

/** What the page of an invitation shows. */
export async function describeInvitation(
  db: Db,
  { account_name, email, role }: OpenInvitation,
): Promise<InvitationInfo> {
  return { account_name, email, role, is_known: (await findUserByEmail(db, email)) !== undefined }
}

/** Proof that the person is who the invitation names: somebody who is known has a password, anybody else chooses one. */
export interface Proof {
  /** The known user and the hash that was verified. */
  known?: { id: number; password_hash: string }
  newPasswordHash?: string
}

/**
 * Joins the team. Returns the user. Of two who come with the same link at once, one joins. The inviter's membership is locked first:
 * one who is removed or demoted meanwhile takes the invitation with them.
 */
export function acceptInvitation(
  db: Db,
  invitation: OpenInvitation,
  proof: Proof,
  person: { name: string | null; address: string },
): Promise<number> {
  const { account_id: accountId, id, email, role, invited_by: invitedBy } = invitation
  return db.transaction(async tx => {
    const inviterRole = await lockRole(tx, accountId, invitedBy)
    if (inviterRole === undefined || !mayGrant(inviterRole, role)) throw gone()
    const known = await findUserByEmail(tx, email)
    const isProved = known
      ? known.password_hash === proof.known?.password_hash
      : proof.newPasswordHash !== undefined
    if (!isProved) throw invalidState('Somebody is accepting this invitation at this moment.')
    const userId = known?.id ?? (await insertUser(tx, email, proof.newPasswordHash as string))
    if (userId === undefined) throw invalidState('Somebody is accepting this invitation at this moment.')
    if (!(await deleteInvitation(tx, accountId, id))) throw gone()
    if (person.name) await setUserName(tx, userId, person.name)
    await insertMember(tx, accountId, userId, role)
    const actor = { kind: 'user', id: userId, name: email, address: person.address } as const
    const change = { action: 'team.join', subjectId: userId, details: { role } }
    await recordChange(tx, accountId, actor, change)
    return userId
  })
}
