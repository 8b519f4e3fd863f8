/** Protects an account from its own team and from everybody else: every call of the dashboard, tried by every role and by strangers. */
import {
  type DashboardRoute,
  type DashboardRouteId,
  dashboardRoutes,
  may,
  type Role,
  roles,
} from '@tributary/contract/dashboard'
import { beforeAll, describe, expect, it } from 'vitest'
import { buildAccount } from '../factories.ts'
import { useScene } from '../harness.ts'
import { Person } from './person.ts'

const scene = useScene()
const people = new Map<Role, Person>()
let stranger: Person
beforeAll(async () => {
  for (const role of roles) people.set(role, await Person.join(scene.app, scene.account.id, role))
  const other = await buildAccount(scene.database)
  stranger = (await Person.join(scene.app, other.id, 'owner')).at(scene.account.id)
})

/** An id that does not exist: callers with permission get a response, and nothing is changed. */
const NOTHING = 999_999_999
const routes = Object.entries<DashboardRoute>(dashboardRoutes) as [DashboardRouteId, DashboardRoute][]

describe.each(roles)('as %s', role => {
  it.each(routes)('%s', async (id, [, , permission]) => {
    const { status, body } = await (people.get(role) as Person).call(id, { id: NOTHING })
    if (may(role, permission)) expect([401, 403]).not.toContain(status)
    else expect([status, body?.error.code]).toEqual([403, 'forbidden'])
    expect(status).toBeLessThan(500)
  })
})

it.each(routes)('a stranger learns nothing from %s', async id => {
  const { status, body } = await stranger.call(id, { id: NOTHING })
  expect([status, body]).toEqual([
    404,
    { error: { code: 'not_found', message: 'There is no such account.' } },
  ])
})

it.each(routes)('%s gives nothing to a caller without a session', async id => {
  const headers = { cookie: '' }
  const { status, body } = await (people.get('owner') as Person).call(id, { id: NOTHING, headers })
  expect([status, body?.error.code]).toEqual([401, 'unauthorized'])
})

it('changes and reading an email are in the audit log; other reads are not', () => {
  for (const [id, [method, , permission, action]] of routes) {
    expect([id, action !== undefined]).toEqual([id, method !== 'GET' || id === 'getMail'])
    // Looking never takes more than looking, but where what is seen would help to act.
    // Which emails a member gets is theirs to choose.
    if (method !== 'GET' && id !== 'subscribeToDigest') expect([id, permission]).not.toEqual([id, 'read'])
  }
})

it('a path that is none is not found, and is no page', async () => {
  const { status, headers } = await fetch(`${scene.app.url}/dashboard/api/accounts/1/nothing`)
  expect([status, headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8'])
})
