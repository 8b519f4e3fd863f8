export const roles = ['owner', 'admin', 'finance', 'viewer'] as const
export type Role = (typeof roles)[number]

/**
 * The permissions of a role: view the account; manage the programme (affiliates, campaigns, referrals); manage money
 * (commissions, payouts); configure it (keys, webhooks, payout methods, exchange rates, email, branding); manage the team and the
 * SMTP server, which may send its sign-in emails.
 */
export type Permission = 'read' | 'programme' | 'money' | 'settings' | 'team'

const permissions: Record<Role, readonly Permission[]> = {
  owner: ['read', 'programme', 'money', 'settings', 'team'],
  admin: ['read', 'programme', 'money', 'settings'],
  finance: ['read', 'money'],
  viewer: ['read'],
}

export const may = (role: Role, permission: Permission) => permissions[role].includes(permission)

/** Whether a role may grant another one: it must manage the team, and can't grant permissions that it lacks. */
export const mayGrant = (role: Role, granted: Role) =>
  may(role, 'team') && permissions[granted].every(permission => may(role, permission))
