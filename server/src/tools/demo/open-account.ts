import { digestKinds, type Role } from '@tributary/contract/dashboard'
import type { Tx } from '../../db/database.ts'
import { DomainError } from '../../kit/domain-error.ts'
import { slugFrom } from '../../kit/slug.ts'
import { findUserByEmail } from '../../programme/accounts/account.store.ts'
import { dismissChecklist } from '../../programme/accounts/checklist.store.ts'
import { createAccount } from '../../programme/accounts/create-account.ts'
import { hashPassword, verifyPassword } from '../../programme/accounts/password.ts'
import { turnOffDigest } from '../../programme/digests/digest.store.ts'
import {
  acceptInvitation,
  invitationLookup,
  invite,
  openInvitation,
} from '../../programme/team/invitations.ts'
import { keepDemoMails, nameUser } from './demo.store.ts'
import type { Member } from './story.ts'

export const DEMO_EMAIL = 'demo@example.com'
/** Not a secret: the account holds sample data only. */
export const DEMO_PASSWORD = 'meridian-demo'

const owner = { email: DEMO_EMAIL, name: 'Dana Reyes', address: '203.0.113.10' }
const colleagues: { email: string; name: string; role: Role; address: string }[] = [
  { email: 'maya.chen@example.com', name: 'Maya Chen', role: 'admin', address: '203.0.113.24' },
  { email: 'jonas.weber@example.com', name: 'Jonas Weber', role: 'finance', address: '203.0.113.41' },
  { email: 'priya.nair@example.com', name: 'Priya Nair', role: 'viewer', address: '203.0.113.87' },
]

/** The user may exist from another demo, with the same password. */
async function prove(tx: Tx, email: string, password: string) {
  const known = await findUserByEmail(tx, email)
  if (!known) return { newPasswordHash: await hashPassword(password) }
  if (!(await verifyPassword(known.password_hash, password)))
    throw new DomainError(
      'unauthorized',
      `A user with the email ${email} already exists, with a different password.`,
    )
  return { known }
}

/** Creates the account and its team: one user per role, all with the same password. */
export async function openAccount(
  tx: Tx,
  name: string,
  baseUrl: string,
): Promise<{ accountId: number; slug: string; team: Record<Role, Member> }> {
  const password = DEMO_PASSWORD
  // With an explicit slug, an existing account is a conflict instead of a second account.
  const { account_id, slug, user_id } = await createAccount(tx, {
    name,
    email: owner.email,
    password,
    slug: slugFrom(name, 'demo'),
  })
  await nameUser(tx, user_id, owner.name)
  // A year of business needs no checklist.
  await dismissChecklist(tx, account_id)
  // Its people don't exist: nothing is sent to them.
  for (const kind of digestKinds) await turnOffDigest(tx, account_id, kind)
  const team = { owner: { id: user_id, email: owner.email, address: owner.address } } as Record<Role, Member>
  for (const { email, role, address, ...person } of colleagues) {
    const { link } = await invite(tx, baseUrl, account_id, { email, role, invitedBy: user_id })
    const token = link.slice(link.indexOf('#') + 1)
    const invitation = await openInvitation(invitationLookup(tx), token, true)
    const proof = await prove(tx, email, password)
    const { id } = await acceptInvitation(tx, invitation, proof, { address, name: person.name })
    team[role] = { id, email, address }
  }
  await keepDemoMails(
    tx,
    account_id,
    colleagues.map(({ email }) => email),
  )
  return { accountId: account_id, slug, team }
}
