/** Protects the ledger: through the API a pending commission is approved or voided, once, and no other ever changes. */
import { describe, expect, it } from 'vitest'
import { buildCommission } from '../factories.ts'
import { useScene } from '../harness.ts'

const scene = useScene()
const statuses = ['pending', 'approved', 'paid', 'void'] as const
const decisions = ['approved', 'void'] as const

describe.each(decisions)('a pending commission', decision => {
  it(`becomes ${decision}, and nothing else of it changes`, async () => {
    const id = await buildCommission(scene.database, scene.place, {
      hold_until: '2030-01-01T00:00:00.000Z',
      description: 'held',
    })
    const { body: before } = await scene.api.get(`/commissions/${id}`)
    const { status, body } = await scene.api.patch(`/commissions/${id}`, { status: decision })
    expect([status, body]).toEqual([200, { ...before, status: decision }])
    expect((await scene.api.get(`/commissions/${id}`)).body).toEqual(body)
  })
})

describe.each(statuses.filter(status => status !== 'pending'))('a commission that is %s', status => {
  it.each(decisions)('cannot become %s, and stays as it is', async decision => {
    const id = await buildCommission(scene.database, scene.place, { status })
    const { body: before } = await scene.api.get(`/commissions/${id}`)
    const answer = await scene.api.patch(`/commissions/${id}`, { status: decision })
    expect([answer.status, answer.body.error.code]).toEqual([409, 'invalid_state'])
    expect(answer.body.error.message).toContain(status)
    expect((await scene.api.get(`/commissions/${id}`)).body).toEqual(before)
  })
})

it.each<[string, unknown]>([
  ['status', undefined],
  ['status', null],
  ['status', 'paid'],
  ['status', 'pending'],
  ['status', 'Approved'],
  ['status', ['approved']],
  ['amount_minor', 1],
  ['description', 'mine'],
])('refuses %s = %j by name and changes nothing', async (field, value) => {
  const id = await buildCommission(scene.database, scene.place)
  const { body: before } = await scene.api.get(`/commissions/${id}`)
  const { status, body } = await scene.api.patch(`/commissions/${id}`, { status: 'approved', [field]: value })
  expect([status, body.error.code]).toEqual([422, 'validation_failed'])
  expect(body.error.message).toContain(field)
  expect((await scene.api.get(`/commissions/${id}`)).body).toEqual(before)
})
