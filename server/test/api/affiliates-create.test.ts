/** Protects the roster: one affiliate per email in an account, and a repeated email enrols and changes nothing else. */
import { expect, it } from 'vitest'
import { buildAffiliate, buildCampaign, unique } from '../factories.ts'
import { useScene } from '../harness.ts'

const scene = useScene()
const newEmail = () => `${unique('New')}@Example.com`
const create = (body: object) =>
  scene.api.post('/affiliates', { campaign_id: scene.place.campaign_id, ...body })

it('creates a pending affiliate with every field that was given', async () => {
  const email = newEmail()
  const { status, body } = await create({
    email,
    name: 'Zoë',
    kind: 'customer',
    token: 'zoe-1_Z',
    coupon_code: 'ZOE 10 %',
    paypal_email: 'Pay@Zoe.example',
    tags: ['b', 'a', 'b'],
  })
  expect(status).toBe(201)
  expect(body).toEqual({
    id: expect.any(Number),
    campaign_ids: [scene.place.campaign_id],
    email,
    name: 'Zoë',
    status: 'pending',
    kind: 'customer',
    token: 'zoe-1_Z',
    coupon_code: 'ZOE 10 %',
    paypal_email: 'Pay@Zoe.example',
    tags: ['b', 'a'],
    created_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/),
  })
  expect((await scene.api.get(`/affiliates/${body.id}`)).body).toEqual(body)
})

it('fills in defaults and generates a different token for each', async () => {
  const [first, second] = [await create({ email: newEmail() }), await create({ email: newEmail() })]
  expect(first.status).toBe(201)
  expect(first.body).toMatchObject({
    name: null,
    kind: 'affiliate',
    coupon_code: null,
    paypal_email: null,
    tags: [],
  })
  expect(first.body.token).toMatch(/^[A-Za-z0-9_-]{3,64}$/)
  expect(first.body.token).not.toBe(second.body.token)
})

it('enrols an email that exists, in any case, and changes nothing else', async () => {
  const { body: before } = await create({
    email: newEmail(),
    name: 'First',
    tags: ['kept'],
    coupon_code: unique('C'),
  })
  const other = await buildCampaign(scene.database, scene.account.id)
  const again = await create({
    email: before.email.toUpperCase(),
    campaign_id: other.id,
    name: 'Second',
    kind: 'customer',
    token: 'another-token',
    coupon_code: 'another-coupon',
    paypal_email: 'another@example.com',
    tags: ['another'],
  })
  expect(again.status).toBe(200)
  expect(again.body).toEqual({ ...before, campaign_ids: [scene.place.campaign_id, other.id] })
})

it('does nothing when the enrolment is repeated', async () => {
  const { body: before } = await create({ email: newEmail() })
  for (let repeat = 0; repeat < 3; repeat++) {
    const again = await create({ email: before.email })
    expect([again.status, again.body]).toEqual([200, before])
  }
  const { rows } = await scene.database.owner.query('SELECT 1 FROM enrolments WHERE affiliate_id = $1', [
    before.id,
  ])
  expect(rows).toHaveLength(1)
})

it('does not mind, for an email that exists, that the token in the request is taken', async () => {
  const { body: other } = await create({ email: newEmail() })
  const { body: before } = await create({ email: newEmail() })
  for (const token of [other.token, before.token]) {
    const again = await create({ email: before.email, token })
    expect([again.status, again.body]).toEqual([200, before])
  }
})

it('keeps a rejected affiliate rejected', async () => {
  const { body } = await create({ email: newEmail() })
  await scene.api.patch(`/affiliates/${body.id}`, { status: 'rejected' })
  const again = await create({ email: body.email })
  expect([again.status, again.body.status]).toEqual([200, 'rejected'])
})

it.each([
  ['token', 'same-token', 'same-token'],
  ['coupon_code', 'Summer', 'sUMMER'],
  ['coupon_code', 'ÉTÉ', 'été'],
])('refuses a %s that another affiliate has (%s, %s)', async (field, first, second) => {
  expect((await create({ email: newEmail(), [field]: first })).status).toBe(201)
  const email = newEmail()
  const { status, body } = await create({ email, [field]: second })
  expect([status, body.error.code]).toEqual([409, 'conflict'])
  expect(body.error.message).toContain(field)
  expect((await scene.api.get(`/affiliates?email=${email}`)).body.data).toEqual([])
})

it('tells tokens apart by case', async () => {
  const token = unique('Tok')
  expect((await create({ email: newEmail(), token })).status).toBe(201)
  expect((await create({ email: newEmail(), token: token.toLowerCase() })).status).toBe(201)
})

it.each([
  ['email', undefined],
  ['email', null],
  ['email', 7],
  ['email', ''],
  ['email', 'no-at.example.com'],
  ['email', 'two@at@example.com'],
  ['email', 'white space@example.com'],
  ['email', ' leading@example.com'],
  ['email', 'no-dot@example'],
  ['email', `${'x'.repeat(250)}@example.com`],
  ['campaign_id', undefined],
  ['campaign_id', null],
  ['campaign_id', 4_000_000_000],
  ['campaign_id', Number.MAX_SAFE_INTEGER],
  ['name', ''],
  ['name', 'x'.repeat(256)],
  ['name', 5],
  ['kind', 'partner'],
  ['kind', null],
  ['token', 'ab'],
  ['token', 'x'.repeat(65)],
  ['token', 'with space'],
  ['token', 'line\n'],
  ['token', null],
  ['coupon_code', ''],
  ['coupon_code', 'x'.repeat(65)],
  ['paypal_email', 'not-an-email'],
  ['tags', 'one'],
  ['tags', null],
  ['tags', ['']],
  ['tags', ['x'.repeat(65)]],
  ['tags', Array.from({ length: 51 }, (_, index) => `t${index}`)],
  ['tags', [1]],
  ['status', 'approved'],
  ['id', 1],
])('refuses %s = %j and names it', async (field, value) => {
  const { status, body } = await create({ email: newEmail(), [field]: value })
  expect([status, body.error.code]).toEqual([422, 'validation_failed'])
  expect(body.error.message).toContain(field)
})

it('accepts the longest values that are allowed', async () => {
  const longest = {
    email: `${'x'.repeat(242)}@example.com`,
    name: 'n'.repeat(255),
    token: 'T'.repeat(64),
    coupon_code: '🎟'.repeat(64),
    tags: Array.from({ length: 50 }, (_, index) => `${index}`.padEnd(64, '-')),
  }
  const { status, body } = await create(longest)
  expect(status).toBe(201)
  expect(body).toMatchObject(longest)
})

it('trims nothing', async () => {
  const { body } = await create({ email: newEmail(), name: ' spaced ', tags: [' a '], coupon_code: ' c ' })
  expect(body).toMatchObject({ name: ' spaced ', tags: [' a '], coupon_code: ' c ' })
})

it('enrols in the order of enrolment', async () => {
  const { id, email } = await buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id)
  const later = [
    await buildCampaign(scene.database, scene.account.id),
    await buildCampaign(scene.database, scene.account.id),
  ]
  for (const { id: campaign_id } of later.toReversed()) await create({ email, campaign_id })
  const { body } = await scene.api.get(`/affiliates/${id}`)
  expect(body.campaign_ids).toEqual([scene.place.campaign_id, later[1]?.id, later[0]?.id])
})
