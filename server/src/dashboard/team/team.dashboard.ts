import { mayGrant, type Role } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { invalidState, notFound } from '../../kit/domain-error.ts'
import { listFile } from '../../kit/list-file.ts'
import { invite } from '../../programme/team/invitations.ts'
import {
  deleteInvitation,
  deleteInvitationsBy,
  deleteMember,
  listInvitations,
  listMembers,
  lockMembers,
  setRole,
} from '../../programme/team/team.store.ts'
import type { DashboardHandlers } from '../call.ts'

/**
 * Changes or removes a member's role; an account always keeps an owner. Open invitations to roles that the member may no longer grant
 * are withdrawn. Returns the member, their former role and the withdrawn invitations.
 */
function changeMember(
  db: Db,
  accountId: number,
  userId: number,
  role: Role | null,
): Promise<{ email: string; role_before: Role; invitations_ended?: string[] }> {
  return db.transaction(async tx => {
    const members = await lockMembers(tx, accountId)
    const changed = members.find(member => member.user_id === userId)
    if (!changed) throw notFound('member')
    const hasOtherOwner = members.some(member => member.user_id !== userId && member.role === 'owner')
    if (role !== 'owner' && !hasOtherOwner) throw invalidState('An account needs at least one owner.')
    if (role === null) await deleteMember(tx, accountId, userId)
    else await setRole(tx, accountId, userId, role)
    const keepsInvitations = role !== null && mayGrant(role, changed.role)
    const ended = keepsInvitations ? [] : await deleteInvitationsBy(tx, accountId, userId)
    return {
      email: changed.email,
      role_before: changed.role,
      ...(ended.length > 0 && { invitations_ended: ended }),
    }
  })
}

const teamOf = async (db: Db, accountId: number) => ({
  members: await listMembers(db, accountId),
  invitations: (await listInvitations(db, accountId))
    .filter(({ role, inviter_role }) => inviter_role !== null && mayGrant(inviter_role, role))
    .map(({ inviter_role, ...invitation }) => invitation),
})

export const teamDashboard: DashboardHandlers<
  'listTeam' | 'exportTeam' | 'invite' | 'withdrawInvitation' | 'changeRole' | 'removeMember'
> = {
  listTeam: ({ db, accountId }) => teamOf(db, accountId),
  exportTeam: async ({ db, accountId }) =>
    listFile('team.csv', ['email', 'name', 'role', 'standing', 'created_at', 'expires_at'], async () => {
      const { members, invitations } = await teamOf(db, accountId)
      return {
        data: [
          ...members.map(each => ({ ...each, standing: 'member', expires_at: null })),
          ...invitations.map(each => ({ ...each, standing: 'invited', name: null })),
        ],
      }
    }),
  invite: async ({ db, accountId, userId, body, baseUrl, settings }) => {
    const { id, link } = await invite(db, baseUrl, accountId, { ...body, invitedBy: userId })
    // The account's own server may refuse the email, and the inviter could not see it.
    return { id, link: settings.TRIBUTARY_SMTP_URL === undefined ? link : null }
  },
  withdrawInvitation: async ({ db, accountId, id, note }) => {
    const withdrawn = await deleteInvitation(db, accountId, id)
    if (!withdrawn) throw notFound('invitation')
    note(withdrawn)
    return {}
  },
  changeRole: async ({ db, accountId, id, body, note }) => {
    note(await changeMember(db, accountId, id, body.role))
    return {}
  },
  removeMember: async ({ db, accountId, id, note }) => {
    note(await changeMember(db, accountId, id, null))
    return {}
  },
}
