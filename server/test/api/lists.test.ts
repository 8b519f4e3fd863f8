/** Protects lists: newest first, each filter means what it says alone and with others, and has_more is exact. */
import { beforeAll, describe, expect, it } from 'vitest'
import { buildAffiliate, buildReferral } from '../factories.ts'
import { useScene } from '../harness.ts'
import { addRow, filtersOf, type Ground, type Item, nouns, prepareGround, walk } from '../populated-lists.ts'

const scene = useScene()
let ground: Ground
const everything = new Map<string, Item[]>()
const ROWS = 60

beforeAll(async () => {
  ground = await prepareGround(scene)
  for (const noun of nouns) {
    for (let n = 0; n < ROWS; n++) await addRow(scene, ground, noun, n)
    everything.set(noun, await walk(scene, noun))
  }
})

describe.each(nouns)('%s', noun => {
  const all = () => everything.get(noun) as Item[]
  const filters = filtersOf[noun]

  it('are newest first, each once', async () => {
    const ids = all().map(({ id }) => id)
    expect(ids.length).toBeGreaterThanOrEqual(ROWS)
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => b - a))
  })

  it('come 25 to a page by default', async () => {
    const { body } = await scene.api.get(`/${noun}`)
    expect([body.data, body.has_more]).toEqual([all().slice(0, 25), true])
  })

  it('say exactly whether more follow', async () => {
    const total = all().length
    const [last, secondToLast] = [all().at(-1), all().at(-2)] as [Item, Item]
    const page = async (query: string) => {
      const { body } = await scene.api.get(`/${noun}?${query}`)
      return [body.data.length, body.has_more]
    }
    expect(await page(`limit=${total - 1}`)).toEqual([total - 1, true])
    expect(await page(`limit=${total}`)).toEqual([total, false])
    expect(await page(`limit=${total + 1}`)).toEqual([total, false])
    expect(await page(`limit=1&starting_after=${secondToLast.id}`)).toEqual([1, false])
    expect(await page(`limit=1&starting_after=${last.id}`)).toEqual([0, false])
    expect(await page('starting_after=1')).toEqual([0, false])
    expect(await page(`limit=100&starting_after=${Number.MAX_SAFE_INTEGER}`)).toEqual([total, false])
  })

  it('begin after any id, whether or not that row exists', async () => {
    const { id } = all()[0] as Item
    expect((await scene.api.get(`/${noun}?limit=100&starting_after=${id + 1000}`)).body.data).toEqual(all())
  })

  it.each(Object.entries(filters))('filter by %s', async (name, { values, matches }) => {
    for (const value of values(ground)) {
      const expected = all().filter(item => matches(item as never, value as never))
      expect(expected.length).toBeGreaterThan(0)
      expect(await walk(scene, noun, { [name]: value })).toEqual(expected)
    }
  })

  it('combine all filters with AND', async () => {
    const names = Object.keys(filters)
    let found = 0
    for (let turn = 0; turn < 12; turn++) {
      const chosen = names.map(name => {
        const values = filters[name]?.values(ground) as unknown[]
        return [name, values[turn % values.length]] as const
      })
      for (const part of [chosen, chosen.slice(0, 2), chosen.slice(-2)]) {
        const expected = all().filter(item =>
          part.every(([name, value]) => filters[name]?.matches(item as never, value as never)),
        )
        found += expected.length
        expect(await walk(scene, noun, Object.fromEntries(part))).toEqual(expected)
      }
    }
    expect(found).toBeGreaterThan(0)
  })
})

describe.each(nouns)('the creation range of %s', noun => {
  it('leaves its ends out, to the millisecond', async () => {
    const newest = (everything.get(noun) as Item[]).slice(0, 3).map(({ id }) => id)
    const at = (ms: number) => new Date(Date.UTC(2020, 0, 1, 0, 0, 0, ms)).toISOString()
    const set = (id: number | undefined, ms: number) => move(noun, id, at(ms))
    await Promise.all([set(newest[0], 2), set(newest[1], 1), set(newest[2], 0)])
    const found = async (query: Record<string, string>) =>
      (await walk(scene, noun, query)).map(({ id }) => newest.indexOf(id))
    expect(await found({ created_before: at(2) })).toEqual([1, 2])
    expect(await found({ created_before: at(3) })).toEqual([0, 1, 2])
    expect(await found({ created_before: at(0) })).toEqual([])
    expect(await found({ created_after: at(0), created_before: at(2) })).toEqual([1])
    expect(await found({ created_after: at(0), created_before: at(3) })).toEqual([0, 1])
    expect(await found({ created_after: at(1), created_before: at(2) })).toEqual([])
    expect(await found({ created_after: '2020-01-01T01:00:00.000+01:00', created_before: at(2) })).toEqual([
      1,
    ])
    expect((await walk(scene, noun, { created_after: at(2) })).length).toBe(
      (everything.get(noun)?.length ?? 0) - 3,
    )
  })
})

/** Commissions refuse to be changed even by the owner, so their guard is put aside for the length of one statement. */
async function move(noun: string, id: number | undefined, createdAt: string): Promise<void> {
  const client = await scene.database.owner.connect()
  try {
    if (noun === 'commissions') await client.query('BEGIN; ALTER TABLE commissions DISABLE TRIGGER USER')
    await client.query(`UPDATE ${noun} SET created_at = $1 WHERE id = $2`, [createdAt, id])
    if (noun === 'commissions') await client.query('ALTER TABLE commissions ENABLE TRIGGER USER; COMMIT')
  } finally {
    client.release()
  }
}

it('affiliates are found by email in any case, and by a whole address only', async () => {
  const { id, email } = await buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id, {
    email: 'Söfie+Tag@Example.com',
  })
  const found = async (text: string) =>
    (await walk(scene, 'affiliates', { email: text })).map(item => item.id)
  for (const spelling of [email, email.toUpperCase(), email.toLowerCase(), email.normalize('NFD')])
    expect(await found(spelling)).toEqual([id])
  for (const other of ['', '%', email.slice(1), `${email} `]) expect(await found(other)).toEqual([])
})

it('tags are compared as they are', async () => {
  const { id } = await buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id, {
    tags: ['Ünï "q" {,}'],
  })
  expect((await walk(scene, 'affiliates', { tag: 'Ünï "q" {,}' })).map(item => item.id)).toEqual([id])
  for (const tag of ['ünï "q" {,}', 'Ünï', '']) expect(await walk(scene, 'affiliates', { tag })).toEqual([])
})

it('referrals are found by customer_ref as it is', async () => {
  const id = await buildReferral(scene.database, scene.place, { customer_ref: "O'Neil; -- ✓" })
  expect((await walk(scene, 'referrals', { customer_ref: "O'Neil; -- ✓" })).map(item => item.id)).toEqual([
    id,
  ])
  expect(await walk(scene, 'referrals', { customer_ref: "o'neil; -- ✓" })).toEqual([])
})

it('a list of nothing is an empty page', async () => {
  const { body } = await scene.api.get(
    '/campaigns?program_type=referral&visibility=public&created_after=2999-01-01T00:00:00Z',
  )
  expect(body).toEqual({ data: [], has_more: false })
})
