/** Protects what must happen once although many ask for it at the same moment: counts are exact, not approximate. */
import { expect, it } from 'vitest'
import type { Answer } from '../client.ts'
import { buildAffiliate, buildCampaign, buildCommission, unique } from '../factories.ts'
import { useScene } from '../harness.ts'

const scene = useScene()
const times = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))

function countStatuses(answers: Answer[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

it('of two PATCHes of one commission one wins, 50 times', async () => {
  for (let round = 0; round < 50; round++) {
    const id = await buildCommission(scene.database, scene.place)
    const decisions = round % 2 === 0 ? ['approved', 'void'] : ['approved', 'approved']
    const answers = await Promise.all(
      decisions.map(status => scene.api.patch(`/commissions/${id}`, { status })),
    )
    expect(countStatuses(answers)).toEqual({ 200: 1, 409: 1 })
    const winner = answers.find(({ status }) => status === 200)?.body
    expect((await scene.api.get(`/commissions/${id}`)).body).toEqual(winner)
  }
})

it('100 POSTs of one email make one affiliate with one enrolment', async () => {
  const email = `${unique('Race')}@Example.com`
  const spell = (index: number) => (index % 2 === 0 ? email : email.toUpperCase())
  const answers = await times(100, index =>
    scene.api.post('/affiliates', { email: spell(index), campaign_id: scene.place.campaign_id }),
  )
  expect(countStatuses(answers)).toEqual({ 200: 99, 201: 1 })
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  const { rows } = await scene.database.owner.query(
    `SELECT a.id, count(e.id)::integer AS enrolments FROM affiliates a JOIN enrolments e ON e.affiliate_id = a.id
     WHERE a.email_key = lower($1) GROUP BY a.id`,
    [email],
  )
  expect(rows).toEqual([{ id: String(answers[0]?.body.id), enrolments: 1 }])
})

it('POSTs of one email into many campaigns enrol it in all of them', async () => {
  const campaigns = await times(10, () => buildCampaign(scene.database, scene.account.id))
  const email = `${unique('many')}@example.com`
  const answers = await times(40, index =>
    scene.api.post('/affiliates', { email, campaign_id: campaigns[index % 10]?.id }),
  )
  expect(countStatuses(answers)).toEqual({ 200: 39, 201: 1 })
  const { body } = await scene.api.get(`/affiliates/${answers[0]?.body.id}`)
  expect(body.campaign_ids.toSorted()).toEqual(campaigns.map(({ id }) => id).toSorted())
})

it.each(['token', 'coupon_code'])('of 40 POSTs with one %s one wins', async field => {
  const value = unique('taken')
  const answers = await times(40, () =>
    scene.api.post('/affiliates', {
      email: `${unique('t')}@example.com`,
      campaign_id: scene.place.campaign_id,
      [field]: value,
    }),
  )
  expect(countStatuses(answers)).toEqual({ 201: 1, 409: 39 })
})

it('enrolments that arrive together share commits, and each has its own entry in the audit log', async () => {
  const answers = await times(40, index =>
    scene.api.post('/affiliates', {
      email: `${unique('together')}@example.com`,
      name: `Together ${index}`,
      campaign_id: scene.place.campaign_id,
    }),
  )
  expect(countStatuses(answers)).toEqual({ 201: 40 })
  const { rows } = await scene.database.owner.query(
    `SELECT a.name, a.xmin::text AS transaction, l.details ->> 'name' AS logged, l.xmin = a.xmin AS with_it
       FROM affiliates a JOIN audit_log l ON l.account_id = a.account_id AND l.action = 'affiliate.create' AND l.subject_id = a.id
      WHERE a.id = ANY ($1)`,
    [answers.map(({ body }) => body.id)],
  )
  expect(rows).toHaveLength(40)
  for (const { name, logged, with_it } of rows) expect([logged, with_it]).toEqual([name, true])
  expect(new Set(rows.map(({ transaction }) => transaction)).size).toBeLessThan(40)
})

it('an enrolment that is refused leaves the others of its commit alone', async () => {
  const taken = await buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id)
  const email = () => `${unique('beside')}@example.com`
  const answers = await times(40, index =>
    scene.api.post('/affiliates', {
      email: email(),
      campaign_id: index % 10 === 3 ? 999_999_999 : scene.place.campaign_id,
      ...(index % 10 === 7 && { token: taken.token }),
    }),
  )
  expect(answers.map(({ status }) => status)).toEqual(
    answers.map((_, index) => (index % 10 === 3 ? 422 : index % 10 === 7 ? 409 : 201)),
  )
  const { rows } = await scene.database.owner.query(
    `SELECT 1 FROM affiliates a JOIN enrolments e ON e.affiliate_id = a.id WHERE a.email_key LIKE 'beside%'`,
  )
  expect(rows).toHaveLength(32)
})

it('of 20 PATCHes to one token one wins', async () => {
  const affiliates = await times(20, () =>
    buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id),
  )
  const token = unique('wanted')
  const answers = await Promise.all(
    affiliates.map(({ id }) => scene.api.patch(`/affiliates/${id}`, { token })),
  )
  expect(countStatuses(answers)).toEqual({ 200: 1, 409: 19 })
})

it('PATCHes of different fields all arrive', async () => {
  const { id } = await buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id)
  const changes = [
    { name: 'N' },
    { kind: 'customer' },
    { tags: ['t'] },
    { paypal_email: 'p@example.com' },
    { status: 'approved' },
  ]
  const answers = await Promise.all(changes.map(change => scene.api.patch(`/affiliates/${id}`, change)))
  expect(countStatuses(answers)).toEqual({ 200: 5 })
  expect((await scene.api.get(`/affiliates/${id}`)).body).toMatchObject(Object.assign({}, ...changes))
})

it('20 approvals of one affiliate at once emit one event', async () => {
  const { id } = await buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id)
  const answers = await times(20, () => scene.api.patch(`/affiliates/${id}`, { status: 'approved' }))
  expect(countStatuses(answers)).toEqual({ 200: 20 })
  const { rows } = await scene.database.owner.query(
    `SELECT body::jsonb -> 'data' AS data FROM events WHERE kind = 'promoter.approved' AND body::jsonb -> 'data' ->> 'id' = $1`,
    [String(id)],
  )
  expect(rows).toEqual([{ data: answers[0]?.body }])
})

it('two affiliates that swap tokens at once never end with the same one, nor with a fault', async () => {
  for (let round = 0; round < 10; round++) {
    const [a, b] = [
      await buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id),
      await buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id),
    ]
    const answers = await Promise.all([
      scene.api.patch(`/affiliates/${a.id}`, { token: b.token }),
      scene.api.patch(`/affiliates/${b.id}`, { token: a.token }),
    ])
    expect(countStatuses(answers)).toEqual({ 409: 2 })
  }
})

it('of 20 DELETEs of one endpoint one finds it', async () => {
  const { body } = await scene.api.post('/webhook_endpoints', {
    url: 'https://r.example/',
    events: ['payout.paid'],
  })
  const answers = await times(20, () => scene.api.delete(`/webhook_endpoints/${body.id}`))
  expect(countStatuses(answers)).toEqual({ 204: 1, 404: 19 })
})

it('20 requests with one Idempotency-Key are carried out once', async () => {
  const key = unique('once')
  const send = () =>
    scene.api.post(
      '/webhook_endpoints',
      { url: `https://${key}.example/`, events: ['payout.paid'] },
      {
        headers: { 'idempotency-key': key },
      },
    )
  const answers = await times(20, send)
  const done = answers.filter(({ status }) => status === 201)
  expect(done.filter(({ headers }) => !headers.has('idempotent-replayed'))).toHaveLength(1)
  expect(new Set(done.map(({ text }) => text)).size).toBe(1)
  for (const { status, body } of answers) if (status !== 201) expect(body.error.code).toBe('conflict')
  const { rows } = await scene.database.owner.query('SELECT 1 FROM webhook_endpoints WHERE url = $1', [
    `https://${key}.example/`,
  ])
  expect(rows).toHaveLength(1)
  expect((await send()).headers.get('idempotent-replayed')).toBe('true')
})
