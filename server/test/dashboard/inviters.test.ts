/** Protects the team from former members: invitations end when their author loses the permission to invite. */
import { mayGrant, roles } from '@tributary/contract/dashboard'
import { beforeEach, describe, expect, it } from 'vitest'
import { invite } from '../../src/programme/team/invitations.ts'
import { unique } from '../factories.ts'
import { useScene } from '../harness.ts'
import { lockWaiters } from '../interleave.ts'
import { countRows } from '../ledger/scene.ts'
import { Person } from './person.ts'
import { Visitor } from './visitor.ts'

const scene = useScene({ TRIBUTARY_TRUST_PROXY: 'true' })
const PASSWORD = 'correct horse battery'
let owner: Person
let inviter: Person
let inviterId: number
beforeEach(async () => {
  owner = await Person.join(scene.app, scene.account.id, 'owner')
  inviter = await Person.join(scene.app, scene.account.id, 'owner')
  const { rows } = await scene.database.owner.query('SELECT id FROM users WHERE email = $1', [inviter.email])
  inviterId = Number(rows[0].id)
})
const newEmail = () => `${unique('invited')}@example.com`
const tokenIn = (link: string) => link.split('#')[1] as string
async function invited(role = 'owner', by = inviter): Promise<string> {
  const { status, body } = await by.call('invite', { body: { email: newEmail(), role } })
  expect(status).toBe(200)
  return tokenIn(body.link)
}
const look = (token: string) => new Visitor(scene.app.url).send('POST', 'invitation', { token })
const accept = (token: string) =>
  new Visitor(scene.app.url).send('POST', 'invitation/accept', { token, password: PASSWORD })
const openInvitations = () => countRows(scene, 'invitations', 'invited_by = $1', [inviterId])
const waitedFor = () =>
  expect.poll(async () => (await lockWaiters(scene.database.owner)).length, { timeout: 60_000 }).toBe(1)

it('no role grants more than it has, and only roles that manage the team grant at all', () => {
  const granted = roles.map(role => [role, roles.filter(other => mayGrant(role, other))])
  expect(granted).toEqual([
    ['owner', ['owner', 'admin', 'finance', 'viewer']],
    ['admin', []],
    ['finance', []],
    ['viewer', []],
  ])
})

describe('open invitations end', () => {
  it.each<[string, () => ReturnType<Person['call']>]>([
    ['is removed', () => owner.call('removeMember', { id: inviterId })],
    ['leaves', () => inviter.call('removeMember', { id: inviterId })],
    ['becomes an admin', () => owner.call('changeRole', { id: inviterId, body: { role: 'admin' } })],
    ['becomes a viewer', () => owner.call('changeRole', { id: inviterId, body: { role: 'viewer' } })],
  ])('when their author %s', async (_name, change) => {
    const tokens = [await invited('owner'), await invited('viewer')]
    const others = await invited('viewer', owner)
    expect((await look(tokens[0] as string)).status).toBe(200)
    expect((await change()).status).toBe(200)
    expect(await openInvitations()).toBe(0)
    for (const token of tokens)
      expect([(await look(token)).status, (await accept(token)).status]).toEqual([409, 409])
    expect((await accept(others)).status).toBe(200)
    const { rows } = await scene.database.owner.query(
      'SELECT details FROM audit_log WHERE account_id = $1 AND subject_id = $2 ORDER BY id DESC LIMIT 1',
      [scene.account.id, inviterId],
    )
    expect(rows[0].details.invitations_ended).toHaveLength(2)
  })

  it('not when the role stays, nor when another member leaves', async () => {
    const token = await invited('admin')
    const other = await Person.join(scene.app, scene.account.id, 'viewer')
    const { rows } = await scene.database.owner.query('SELECT id FROM users WHERE email = $1', [other.email])
    await owner.call('removeMember', { id: Number(rows[0].id) })
    await owner.call('changeRole', { id: inviterId, body: { role: 'owner' } })
    expect((await accept(token)).status).toBe(200)
  })

  it('even where an older version has left them: they open nothing and are not shown', async () => {
    const token = await invited('owner')
    await scene.database.owner.query('DELETE FROM memberships WHERE user_id = $1', [inviterId])
    expect([(await look(token)).status, (await accept(token)).status]).toEqual([409, 409])
    expect((await owner.call('listTeam')).body.invitations).toEqual([])
    expect((await owner.call('exportTeam')).text).not.toContain(',invited,')
  })
})

describe('beside a removal', () => {
  /** Holds the team as a removal does. */
  async function removalUnderWay() {
    const client = await scene.database.owner.connect()
    await client.query('BEGIN')
    await client.query('SELECT 1 FROM memberships WHERE account_id = $1 ORDER BY user_id FOR UPDATE', [
      scene.account.id,
    ])
    return {
      async finish() {
        await client.query('DELETE FROM memberships WHERE user_id = $1', [inviterId])
        await client.query('COMMIT')
      },
      release: () => client.release(true),
    }
  }

  it('an invitation waits for it, and is not made', async () => {
    const removal = await removalUnderWay()
    try {
      const inviting = inviter.call('invite', { body: { email: newEmail(), role: 'owner' } })
      await waitedFor()
      await removal.finish()
      expect([(await inviting).status, await openInvitations()]).toEqual([403, 0])
    } finally {
      removal.release()
    }
  })

  it('an acceptance waits for it, and is refused', async () => {
    const token = await invited('owner')
    const removal = await removalUnderWay()
    try {
      const accepting = accept(token)
      await waitedFor()
      await removal.finish()
      expect((await accepting).status).toBe(409)
    } finally {
      removal.release()
    }
  })

  it('it waits for an invitation that is being made, and ends that too', async () => {
    let removing: ReturnType<Person['call']> | undefined
    await scene.database.db.transaction(async tx => {
      const invitation = { email: newEmail(), role: 'owner', invitedBy: inviterId } as const
      await invite(tx, 'https://programme.example', scene.account.id, invitation)
      removing = owner.call('removeMember', { id: inviterId })
      await waitedFor()
    })
    expect([(await removing)?.status, await openInvitations()]).toEqual([200, 0])
  })
})
