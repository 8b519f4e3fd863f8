import { type InvitationInfo, mayGrant, type Role } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { conflict, DomainError, invalidState, notFound } from '../../kit/domain-error.ts'
import { LimitedLookup } from '../../kit/shared-lookup.ts'
import { isLinkToken, newLinkToken, sha256 } from '../../kit/tokens.ts'
import { writeHiddenMail } from '../../mail/write-mail.ts'
import { findAccount, findUserByEmail, insertUser, type UserRow } from '../accounts/account.store.ts'
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
import { lockUser, setUserName } from './user.store.ts'

const DAYS = 7

const gone = () =>
  new DomainError(
    'invalid_state',
    'This invitation was used or withdrawn, or has expired. Ask for a new one.',
  )

/** Finds open invitations by the digest of their token. */
export const invitationLookup = (db: Db): LimitedLookup<OpenInvitation> =>
  new LimitedLookup(lookups =>
    findInvitations(
      db,
      lookups.map(({ digest }) => digest),
    ),
  )

/** Sends an invitation by email. Returns the link, for installations without an SMTP server. */
export function invite(
  db: Db,
  baseUrl: string,
  accountId: number,
  invitation: { email: string; role: Role; invitedBy: number },
): Promise<{ id: number; link: string }> {
  return db.transaction(async tx => {
    // Locks the team, so that of two concurrent invitations of one person the second replaces the first.
    const members = await lockMembers(tx, accountId)
    const inviterRole = members.find(({ user_id }) => user_id === invitation.invitedBy)?.role
    if (inviterRole === undefined || !mayGrant(inviterRole, invitation.role))
      throw new DomainError('forbidden', 'Your role no longer allows this invitation.')
    if (await isMember(tx, accountId, invitation.email))
      throw conflict('email already belongs to a team member.')
    const token = newLinkToken()
    const id = await insertInvitation(tx, accountId, { ...invitation, tokenHash: sha256(token), days: DAYS })
    const link = `${baseUrl}/dashboard/invitation#${token}`
    const account = await findAccount(tx, accountId)
    if (!account) throw notFound('account')
    // The link grants access to one person, so the rest of the team must not be able to read it.
    await writeHiddenMail(tx, accountId, invitation.email, {
      kind: 'team_invitation',
      subject: `Join ${account.name} on Tributary`,
      lines: [`${account.name} invited you to its affiliate programme's team as ${invitation.role}.`],
      action: { label: 'Accept invitation', url: link },
      note: `The link works once and expires in ${DAYS} days.`,
    })
    return { id, link }
  })
}

/** An invitation is valid only while its inviter may still grant the role. */
const isGood = ({ inviter_role, role }: OpenInvitation) =>
  inviter_role !== null && mayGrant(inviter_role, role)

/** The invitation, if it can still be accepted. Changes nothing. */
export async function openInvitation(
  lookup: LimitedLookup<OpenInvitation>,
  token: string,
  isWithinLimit: boolean,
): Promise<OpenInvitation> {
  const found = isLinkToken(token) ? await lookup.get(sha256(token), isWithinLimit) : undefined
  if (!found || !isGood(found)) throw gone()
  return found
}

/** The invitation as its page shows it. */
export async function describeInvitation(
  db: Db,
  { account_name, email, role }: OpenInvitation,
): Promise<InvitationInfo> {
  return { account_name, email, role, is_known: (await findUserByEmail(db, email)) !== undefined }
}

/** Proves the invited person's identity: an existing user by their password; a new user sets one. */
export interface Proof {
  /** The existing user and the hash that was verified. */
  known?: UserRow
  newPasswordHash?: string
}

/**
 * Joins the team and returns the user. Of two concurrent requests with the same link, one succeeds. The inviter's membership is
 * locked first: removing or demoting the inviter invalidates the invitation. An existing user is locked too: a new password invalidates
 * the proof.
 */
export function acceptInvitation(
  db: Db,
  invitation: OpenInvitation,
  proof: Proof,
  person: { name: string | null; address: string },
): Promise<UserRow> {
  const { account_id: accountId, id, email, role, invited_by: invitedBy } = invitation
  return db.transaction(async tx => {
    const inviterRole = await lockRole(tx, accountId, invitedBy)
    if (inviterRole === undefined || !mayGrant(inviterRole, role)) throw gone()
    const known = await lockUser(tx, email)
    const passwordHash = known ? proof.known?.password_hash : proof.newPasswordHash
    if (passwordHash === undefined || (known && known.password_hash !== passwordHash))
      throw invalidState('This invitation is being accepted in another request. Try again.')
    const userId = known?.id ?? (await insertUser(tx, email, passwordHash))
    if (userId === undefined)
      throw invalidState('This invitation is being accepted in another request. Try again.')
    if (!(await deleteInvitation(tx, accountId, id))) throw gone()
    if (person.name) await setUserName(tx, userId, person.name)
    await insertMember(tx, accountId, userId, role)
    const actor = { kind: 'user', id: userId, name: email, address: person.address } as const
    const change = { action: 'team.join', subjectId: userId, details: { role } }
    await recordChange(tx, accountId, actor, change)
    return { id: userId, password_hash: passwordHash }
  })
}
