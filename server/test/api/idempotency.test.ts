/** Protects retries: a request with an Idempotency-Key is carried out once, and asking again gives the first answer. */
import { afterEach, describe, expect, it } from 'vitest'
import { requestHash } from '../../src/http/idempotency.ts'
import { createApiKey } from '../../src/programme/api-keys/create-api-key.ts'
import { type Answer, TestClient } from '../client.ts'
import { asAdmin } from '../delivery/admin.ts'
import { buildAffiliate, buildCommission, unique } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { lockWaiters } from '../interleave.ts'

const scene = useOwnScene()
const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })
const replayed = ({ headers }: Answer) => headers.get('idempotent-replayed')
const affiliate = () => ({ email: `${unique('idem')}@example.com`, campaign_id: scene.place.campaign_id })
const storedKeys = async (key: string) =>
  (await scene.database.owner.query('SELECT * FROM idempotency_keys WHERE idempotency_key = $1', [key])).rows

describe('the same request again', () => {
  it.each<[string, () => Promise<[string, string, object | undefined]>]>([
    ['POST /affiliates', async () => ['POST', '/affiliates', affiliate()]],
    [
      'PATCH /affiliates/{id}',
      async () => {
        const { id } = await buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id)
        return ['PATCH', `/affiliates/${id}`, { status: 'approved', name: 'x' }]
      },
    ],
    [
      'POST /affiliates/{id}/magic_link',
      async () => ['POST', `/affiliates/${scene.place.affiliate_id}/magic_link`, undefined],
    ],
    [
      'PATCH /commissions/{id}',
      async () => {
        const id = await buildCommission(scene.database, scene.place)
        return ['PATCH', `/commissions/${id}`, { status: 'void' }]
      },
    ],
    [
      'POST /webhook_endpoints',
      async () => ['POST', '/webhook_endpoints', { url: 'https://r.example/', events: ['payout.paid'] }],
    ],
  ])('%s gets the first answer, byte for byte', async (_what, request) => {
    const [method, path, body] = await request()
    const options = { ...(body && { body }), ...keyed(unique('key')) }
    const first = await scene.api.send(method, path, options)
    expect(first.status).toBeLessThan(300)
    expect(replayed(first)).toBeNull()
    for (let again = 0; again < 2; again++) {
      const second = await scene.api.send(method, path, options)
      expect([second.status, second.text, replayed(second)]).toEqual([first.status, first.text, 'true'])
      expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'))
      expect(second.headers.get('request-id')).not.toBe(first.headers.get('request-id'))
    }
  })

  it('may be written in another order of fields', async () => {
    const key = unique('key')
    const { email, campaign_id } = affiliate()
    const first = await scene.api.post('/affiliates', { email, campaign_id }, keyed(key))
    const second = await scene.api.post('/affiliates', { campaign_id, email }, keyed(key))
    expect([second.text, replayed(second)]).toEqual([first.text, 'true'])
  })

  it('also the fields of objects inside, but not the items of lists', () => {
    const hash = (body: object) => requestHash('POST', '/conversions', body).toString('hex')
    const sale = hash({ sale: { currency: 'USD', lines: [{ id: 1, amount_minor: 5 }, 2] } })
    expect(hash({ sale: { lines: [{ amount_minor: 5, id: 1 }, 2], currency: 'USD' } })).toBe(sale)
    expect(hash({ sale: { currency: 'USD', lines: [2, { id: 1, amount_minor: 5 }] } })).not.toBe(sale)
  })

  it('stays the first answer although the object has changed since', async () => {
    const [key, body] = [unique('key'), affiliate()]
    const first = await scene.api.post('/affiliates', body, keyed(key))
    await scene.api.patch(`/affiliates/${first.body.id}`, { name: 'changed' })
    expect((await scene.api.post('/affiliates', body, keyed(key))).text).toBe(first.text)
  })
})

describe('another request with the same key', () => {
  it.each<[string, (id: number) => [string, string, object]]>([
    ['another body', () => ['POST', '/affiliates', affiliate()]],
    [
      'another path',
      () => ['POST', '/webhook_endpoints', { url: 'https://r.example/', events: ['payout.paid'] }],
    ],
    ['another method', id => ['PATCH', `/affiliates/${id}`, { name: 'changed' }]],
  ])('%s is a conflict, and is not carried out', async (_what, request) => {
    const key = unique('key')
    const first = await scene.api.post('/affiliates', affiliate(), keyed(key))
    const count = async () =>
      (await scene.database.owner.query('SELECT count(*) FROM affiliates')).rows[0].count
    const before = await count()
    const [method, path, body] = request(first.body.id)
    const answer = await scene.api.send(method, path, { body, ...keyed(key) })
    expect([answer.status, answer.body.error.code, replayed(answer)]).toEqual([409, 'conflict', null])
    expect(answer.headers.get('retry-after')).toBeNull()
    expect(await count()).toBe(before)
    expect((await scene.api.get(`/affiliates/${first.body.id}`)).body).toEqual(first.body)
  })

  it('for another id is another request', async () => {
    const key = unique('key')
    const ids = [
      await buildCommission(scene.database, scene.place),
      await buildCommission(scene.database, scene.place),
    ]
    expect((await scene.api.patch(`/commissions/${ids[0]}`, { status: 'void' }, keyed(key))).status).toBe(200)
    expect(
      (await scene.api.patch(`/commissions/${ids[1]}`, { status: 'void' }, keyed(key))).body.error.code,
    ).toBe('conflict')
  })
})

describe('while the first is under way', () => {
  it('is a conflict, and afterwards the answer is there', async () => {
    const [key, body] = [unique('key'), affiliate()]
    const blocker = await scene.database.owner.connect()
    try {
      await blocker.query('BEGIN; LOCK TABLE enrolments IN ACCESS EXCLUSIVE MODE')
      const { retries } = scene.database.db
      const first = scene.api.post('/affiliates', body, keyed(key))
      await expect
        .poll(async () => (await lockWaiters(blocker)).length, { timeout: 60_000 })
        .toBeGreaterThan(0)
      // Also while it goes from a shared transaction, which gave up waiting, to its own.
      const others = Array.from({ length: 6 }, async () => {
        do {
          const other = await scene.api.post('/affiliates', body, keyed(key))
          expect([other.status, other.body.error.code]).toEqual([409, 'conflict'])
          expect(other.headers.get('retry-after')).toBe('1')
        } while (scene.database.db.retries === retries)
      })
      await Promise.all(others)
      await blocker.query('COMMIT')
      expect((await first).status).toBe(201)
      const third = await scene.api.post('/affiliates', body, keyed(key))
      expect([third.text, replayed(third)]).toEqual([(await first).text, 'true'])
    } finally {
      await blocker.query('ROLLBACK')
      blocker.release()
    }
  })
})

type Request = () => Promise<[string, string, object | undefined]>

describe('a refusal', () => {
  it.each<[string, Request]>([
    [
      'a taken token',
      async () => {
        const { token } = await buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id)
        return ['POST', '/affiliates', { ...affiliate(), token }]
      },
    ],
    [
      'a wrong state',
      async () => {
        const id = await buildCommission(scene.database, scene.place, { status: 'paid' })
        return ['PATCH', `/commissions/${id}`, { status: 'void' }]
      },
    ],
    [
      'a contradicting sale',
      async () => {
        const sale = { customer_ref: unique('customer'), external_id: unique('sale'), currency: 'USD' }
        await scene.api.post('/ingest/v1/sales', { ...sale, amount_minor: 1 })
        return ['POST', '/ingest/v1/sales', { ...sale, amount_minor: 2 }]
      },
    ],
  ])('409 for %s is kept and replayed', async (_what, request) => {
    const [method, path, body] = await request()
    const options = { body, ...keyed(unique('key')) }
    const [first, second] = [
      await scene.api.send(method, path, options),
      await scene.api.send(method, path, options),
    ]
    expect([first.status, replayed(first)]).toEqual([409, null])
    expect([second.status, second.text, replayed(second)]).toEqual([409, first.text, 'true'])
  })

  it.each<[string, number, Request]>([
    ['an unknown id', 404, async () => ['PATCH', '/affiliates/987654321', { name: 'x' }]],
    [
      'an unknown campaign',
      422,
      async () => ['POST', '/affiliates', { ...affiliate(), campaign_id: 987654321 }],
    ],
    [
      'a conversion for an unknown campaign',
      422,
      async () => [
        'POST',
        '/ingest/v1/conversions',
        { campaign_id: 987654321, customer_ref: unique('customer') },
      ],
    ],
    [
      'a refund of an unknown sale',
      422,
      async () => [
        'POST',
        '/ingest/v1/refunds',
        { external_id: unique('refund'), sale_external_id: unique('sale') },
      ],
    ],
  ])('%s does not use up the key: another request may have it', async (_what, status, request) => {
    const key = unique('key')
    const [method, path, body] = await request()
    for (let again = 0; again < 2; again++) {
      const refused = await scene.api.send(method, path, { body, ...keyed(key) })
      expect([refused.status, replayed(refused)]).toEqual([status, null])
    }
    expect(await storedKeys(key)).toEqual([])
    const other = await scene.api.post('/affiliates', affiliate(), keyed(key))
    expect([other.status, replayed(other)]).toEqual([201, null])
  })

  it('is carried out again once the state of things allows it', async () => {
    const [key, external_id] = [unique('key'), unique('sale')]
    const refund = { external_id: unique('refund'), sale_external_id: external_id, amount_minor: 5 }
    const first = await scene.api.post('/ingest/v1/refunds', refund, keyed(key))
    expect(first.status).toBe(422)
    await scene.api.post('/ingest/v1/sales', {
      customer_ref: unique('customer'),
      external_id,
      amount_minor: 10,
      currency: 'USD',
    })
    const second = await scene.api.post('/ingest/v1/refunds', refund, keyed(key))
    expect([second.status, replayed(second)]).toEqual([201, null])
  })

  it('leaves nothing of what it wrote before it was refused', async () => {
    const key = unique('key')
    const mine = await buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id)
    // The conversion is kept first, and then its sale is refused.
    const sale = { external_id: unique('sale'), amount_minor: 10, currency: 'XYZ' }
    const customer = unique('customer')
    const refused = await scene.api.post(
      '/ingest/v1/conversions',
      { campaign_id: scene.place.campaign_id, customer_ref: customer, token: mine.token, sale },
      keyed(key),
    )
    expect(refused.status).toBe(422)
    const { rows } = await scene.database.owner.query('SELECT 1 FROM conversions WHERE customer_ref = $1', [
      customer,
    ])
    expect([rows, await storedKeys(key)]).toEqual([[], []])
  })

  it('of one request does not hold up twenty others with its key: each is answered for itself', async () => {
    const key = unique('key')
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => scene.api.patch('/affiliates/987654321', { name: 'x' }, keyed(key))),
    )
    // 409 while another one is under way, which is not kept either.
    for (const { status } of answers) expect([404, 409]).toContain(status)
    expect(answers.every(answer => replayed(answer) === null)).toBe(true)
    expect(await storedKeys(key)).toEqual([])
  })

  it('by the schema is not kept: the mended request may use the key', async () => {
    const key = unique('key')
    for (const body of [{ ...affiliate(), frobnicate: 1 }, '{', '[]', { email: 'x' }])
      expect((await scene.api.post('/affiliates', body, keyed(key))).status).toBeGreaterThanOrEqual(400)
    expect(await storedKeys(key)).toEqual([])
    const mended = await scene.api.post('/affiliates', affiliate(), keyed(key))
    expect([mended.status, replayed(mended)]).toEqual([201, null])
  })
})

it('keys of two API keys never meet, even in one account', async () => {
  const key = unique('key')
  const second = await createApiKey(scene.database.db, scene.account.id, 'second')
  const other = new TestClient(scene.app.url, second.key)
  expect((await scene.api.post('/affiliates', affiliate(), keyed(key))).status).toBe(201)
  const answer = await other.post('/affiliates', affiliate(), keyed(key))
  expect([answer.status, replayed(answer)]).toEqual([201, null])
})

it.each([
  ['23 hours 59 minutes', 'true'],
  ['24 hours 1 second', null],
])('after %s, replayed is %s', async (age, expected) => {
  const [key, body] = [unique('key'), affiliate()]
  await scene.api.post('/affiliates', body, keyed(key))
  await scene.database.owner.query(
    'UPDATE idempotency_keys SET created_at = now() - $1::interval WHERE idempotency_key = $2',
    [age, key],
  )
  const again = await scene.api.post('/affiliates', body, keyed(key))
  expect([again.status, replayed(again)]).toEqual([expected ? 201 : 200, expected])
  const last = await scene.api.post('/affiliates', body, keyed(key))
  expect([last.text, replayed(last)]).toEqual([again.text, 'true'])
})

it('keeps answers encrypted', async () => {
  const key = unique('key')
  const { body } = await scene.api.post(
    '/webhook_endpoints',
    { url: 'https://sealed.example/', events: ['payout.paid'] },
    keyed(key),
  )
  const [row, ...others] = await storedKeys(key)
  expect(others).toEqual([])
  for (const plain of [body.secret, body.secret.slice(6, 30), 'sealed.example', 'whsec'])
    expect(row.sealed_answer.includes(plain)).toBe(false)
  expect(scene.app.services.secrets.open('idempotent answer', scene.account.id, row.sealed_answer)).toContain(
    body.secret,
  )
})

it.each(['', 'x'.repeat(256), 'naïve', 'tab\tbed'])(
  'refuses the key %j by the name of its header',
  async key => {
    const { status, body } = await scene.api.post('/affiliates', affiliate(), keyed(key))
    expect([status, body.error.code]).toEqual([422, 'validation_failed'])
    expect(body.error.message).toContain('Idempotency-Key')
  },
)

it.each(['x'.repeat(255), '!', 'a b~c', '{"json": true}'])('takes the key %j', async key => {
  expect((await scene.api.post('/affiliates', affiliate(), keyed(key))).status).toBe(201)
  expect(await storedKeys(key)).toHaveLength(1)
})

it('means nothing on GET and DELETE', async () => {
  for (const method of ['GET', 'DELETE'])
    expect((await scene.api.send(method, '/webhook_endpoints/1', keyed('x'.repeat(300)))).status).not.toBe(
      422,
    )
})

describe('a fault of ours', () => {
  afterEach(() => scene.database.owner.query('DROP TRIGGER IF EXISTS broken ON affiliates'))

  it('is no answer: nothing is kept, and the request may be tried again', async () => {
    const [key, body] = [unique('key'), affiliate()]
    await scene.database.owner.query(`
      CREATE OR REPLACE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'a detail'; END $$;
      CREATE TRIGGER broken BEFORE INSERT ON affiliates FOR EACH ROW EXECUTE FUNCTION broken()`)
    const first = await scene.api.post('/affiliates', body, keyed(key))
    expect([first.status, first.body.error.code]).toEqual([500, 'internal_error'])
    expect(first.text).not.toContain('a detail')
    await scene.database.owner.query('DROP TRIGGER broken ON affiliates')
    const second = await scene.api.post('/affiliates', body, keyed(key))
    expect([second.status, replayed(second)]).toEqual([201, null])
  })

  it('a connection that dies midway leaves neither the change nor the key, and the retry is carried out once', async () => {
    const [key, body] = [unique('key'), affiliate()]
    const blocker = await scene.database.owner.connect()
    try {
      await blocker.query('BEGIN; LOCK TABLE idempotency_keys IN SHARE MODE')
      const first = scene.api.post('/affiliates', body, keyed(key))
      // The affiliate is written; storing the answer waits for the lock, and dies there. A shared transaction would give up on its own.
      const { retries } = scene.database.db
      await expect.poll(() => scene.database.db.retries, { timeout: 60_000 }).toBeGreaterThan(retries)
      await expect.poll(async () => (await lockWaiters(blocker)).length, { timeout: 60_000 }).toBe(1)
      await asAdmin('SELECT pg_terminate_backend($1)', await lockWaiters(blocker))
      expect((await first).status).toBe(503)
    } finally {
      await blocker.query('ROLLBACK')
      blocker.release()
    }
    expect(await storedKeys(key)).toEqual([])
    const second = await scene.api.post('/affiliates', body, keyed(key))
    expect([second.status, replayed(second)]).toEqual([201, null])
  })
})
