export const roles = ['owner', 'admin', 'finance', 'viewer'] as const
export type Role = (typeof roles)[number]

/**
 * What a person may do in an account: look at it; run the programme (affiliates, campaigns, referrals); move money (commissions,
 * payouts); set it up (keys, webhooks, rails, rates, mail, branding); decide who else may.
 */
export type Permission = 'read' | 'programme' | 'money' | 'settings' | 'team'

const permissions: Record<Role, readonly Permission[]> = {
  owner: ['read', 'programme', 'money', 'settings', 'team'],
  admin: ['read', 'programme', 'money', 'settings'],
  finance: ['read', 'money'],
  viewer: ['read'],
}

export const may = (role: Role, permission: Permission) => permissions[role].includes(permission)

/** Whether a person with this role may give another one that role: who decides about the team, and nothing they may not do themselves. */
export const mayGrant = (role: Role, granted: Role) =>
  may(role, 'team') && permissions[granted].every(permission => may(role, permission))
