/** Protects PATCH /affiliates/{id}: it changes exactly what the request names, all of it or nothing. */
import type { Affiliate } from '@tributary/contract'
import { beforeEach, describe, expect, it } from 'vitest'
import { buildAffiliate, unique } from '../factories.ts'
import { useScene } from '../harness.ts'

const scene = useScene()
let before: Affiliate
const build = (overrides = {}) =>
  buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id, overrides)
const patch = (body: unknown) => scene.api.patch(`/affiliates/${before.id}`, body)
const now = async () => (await scene.api.get(`/affiliates/${before.id}`)).body

beforeEach(async () => {
  before = await build({
    name: 'Before',
    coupon_code: unique('code'),
    paypal_email: 'p@example.com',
    tags: ['x'],
  })
})

describe('a single field', () => {
  it.each<[string, unknown]>([
    ['name', 'After'],
    ['name', null],
    ['email', 'After@Example.com'],
    ['kind', 'customer'],
    ['token', 'after-token'],
    ['coupon_code', 'after-coupon'],
    ['coupon_code', null],
    ['paypal_email', 'after@example.com'],
    ['paypal_email', null],
    ['tags', ['y', 'z']],
    ['tags', []],
    ['status', 'approved'],
    ['status', 'rejected'],
  ])('%s becomes %j, and all others stay', async (field, value) => {
    const { status, body } = await patch({ [field]: value })
    expect([status, body]).toEqual([200, { ...before, [field]: value }])
    expect(await now()).toEqual(body)
    // Frees what is unique for the next case.
    await patch({ email: `${unique('x')}@example.com`, token: unique('t'), coupon_code: null })
  })
})

it('changes many fields at once, and folds tags', async () => {
  const changes = { name: null, kind: 'customer', status: 'approved', paypal_email: 'new@example.com' }
  const { body } = await patch({ ...changes, tags: ['b', 'b', 'a'] })
  expect(body).toEqual({ ...before, ...changes, tags: ['b', 'a'] })
})

describe('the status', () => {
  it('goes from approved to rejected and back', async () => {
    for (const status of ['approved', 'rejected', 'approved', 'rejected'])
      expect((await patch({ status })).body).toEqual({ ...before, status })
  })

  it.each(['approved', 'rejected'])(
    '%s twice changes nothing the second time, and emits nothing',
    async status => {
      const events = async () =>
        (
          await scene.database.owner.query('SELECT kind FROM events WHERE account_id = $1', [
            scene.account.id,
          ])
        ).rows.length
      const emitted = await events()
      const first = await patch({ status })
      expect(await events()).toBe(emitted + (status === 'approved' ? 1 : 0))
      expect((await patch({ status })).body).toEqual(first.body)
      expect(await now()).toEqual({ ...before, status })
      expect(await events()).toBe(emitted + (status === 'approved' ? 1 : 0))
    },
  )

  it('takes its other changes along when it stands there already', async () => {
    await patch({ status: 'approved' })
    expect((await patch({ status: 'approved', name: 'After' })).body).toEqual({
      ...before,
      status: 'approved',
      name: 'After',
    })
  })
})

it.each<[string, unknown]>([
  ['status', 'pending'],
  ['status', 'paused'],
  ['status', null],
  ['name', ''],
  ['email', null],
  ['email', 'not-an-email'],
  ['kind', null],
  ['kind', 'partner'],
  ['token', null],
  ['token', 'a b c'],
  ['coupon_code', ''],
  ['paypal_email', 'not-an-email'],
  ['tags', null],
  ['tags', ['']],
  ['campaign_id', 1],
  ['campaign_ids', [1]],
  ['id', 1],
  ['created_at', '2026-01-31T12:00:00.000Z'],
])('refuses %s = %j by name and changes nothing', async (field, value) => {
  const { status, body } = await patch({ name: 'After', [field]: value })
  expect([status, body.error.code]).toEqual([422, 'validation_failed'])
  expect(body.error.message).toContain(field)
  expect(await now()).toEqual(before)
})

it('wants at least one field', async () => {
  const { status, body } = await patch({})
  expect([status, body.error.code]).toEqual([422, 'validation_failed'])
})

describe('values that must be unique', () => {
  it.each<['email' | 'token' | 'coupon_code', (other: Affiliate) => string]>([
    ['email', other => other.email.toUpperCase()],
    ['token', other => other.token],
    ['coupon_code', other => String(other.coupon_code).toUpperCase()],
  ])('%s of another affiliate is a conflict, and nothing else is changed either', async (field, taken) => {
    const other = await build({ coupon_code: unique('other') })
    const { status, body } = await patch({
      name: 'After',
      status: 'approved',
      tags: [],
      [field]: taken(other),
    })
    expect([status, body.error.code]).toEqual([409, 'conflict'])
    expect(body.error.message).toContain(field)
    expect(await now()).toEqual(before)
  })

  it('its own values, in another case, are no conflict and are kept as written now', async () => {
    const own = { email: before.email.toUpperCase(), coupon_code: before.coupon_code?.toUpperCase() }
    expect((await patch(own)).body).toEqual({ ...before, ...own })
  })

  it('are free again once given up, but for the token', async () => {
    const { email, token, coupon_code } = before
    await patch({ email: `${unique('x')}@example.com`, token: unique('t'), coupon_code: null })
    // Links with the old token still work, so no one else can have it.
    await expect(build({ token })).rejects.toMatchObject({ code: 'conflict' })
    const heir = await build({ email, coupon_code })
    expect(heir.id).not.toBe(before.id)
    await scene.api.patch(`/affiliates/${heir.id}`, {
      coupon_code: null,
      email: `${unique('x')}@example.com`,
    })
  })
})
