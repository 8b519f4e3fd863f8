/** Protects sign-in links: read access to the database is not enough to sign in, and a link lasts 900 seconds. */
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { buildAffiliate } from '../factories.ts'
import { useScene } from '../harness.ts'

const scene = useScene()
const build = () => buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id)
const mint = (id: number) => scene.api.post(`/affiliates/${id}/magic_link`)
const rowsOf = async (id: number) =>
  (
    await scene.database.owner.query(
      `SELECT *, extract(epoch FROM expires_at - created_at)::float AS lifetime FROM magic_links
       WHERE affiliate_id = $1 ORDER BY created_at`,
      [id],
    )
  ).rows

it('answers with a URL on the portal and 900 seconds', async () => {
  const { id } = await build()
  const { status, body } = await mint(id)
  expect(status).toBe(200)
  expect(body).toEqual({ url: expect.any(String), expires_in: 900 })
  const url = new URL(body.url)
  expect(url.origin).toBe('https://programme.example')
  expect(url.pathname).toMatch(new RegExp(`^/portal/${scene.account.slug}/sign-in/[A-Za-z0-9_-]{43}$`))
  expect([url.search, url.hash]).toEqual(['', ''])
})

it('keeps a digest of the token and never the token', async () => {
  const { id } = await build()
  const token = (await mint(id)).body.url.split('/').at(-1)
  const [row, ...others] = await rowsOf(id)
  expect(others).toEqual([])
  expect(row).toMatchObject({ account_id: String(scene.account.id), used_at: null, lifetime: 900 })
  expect(row.token_hash).toEqual(createHash('sha256').update(token).digest())
  expect(JSON.stringify(row)).not.toContain(token)
})

it('leaves older links as they are', async () => {
  const { id } = await build()
  const first = (await mint(id)).body.url
  const [before] = await rowsOf(id)
  const second = (await mint(id)).body.url
  expect(second).not.toBe(first)
  const after = await rowsOf(id)
  expect(after).toHaveLength(2)
  expect(after).toContainEqual(before)
})

it.each(['pending', 'approved'])('mints for an affiliate that is %s', async status => {
  const { id } = await build()
  if (status !== 'pending') await scene.api.patch(`/affiliates/${id}`, { status })
  expect((await mint(id)).status).toBe(200)
})

it('refuses a rejected affiliate and writes nothing', async () => {
  const { id } = await build()
  await scene.api.patch(`/affiliates/${id}`, { status: 'rejected' })
  const { status, body } = await mint(id)
  expect([status, body.error.code]).toEqual([409, 'invalid_state'])
  expect(await rowsOf(id)).toEqual([])
})

it('takes an empty body of any content type, and an empty object', async () => {
  const { id } = await build()
  const path = `/affiliates/${id}/magic_link`
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json', 'nonsense'])
    expect((await scene.api.post(path, '', { headers: { 'content-type': type } })).status).toBe(200)
  expect((await scene.api.post(path, {})).status).toBe(200)
})

it.each([
  [422, '{"expires_in": 60}'],
  [400, '[]'],
  [400, '"text"'],
  [400, 'null'],
  [400, '{'],
])('answers %i to the body %s', async (expected, body) => {
  const { id } = await build()
  expect((await scene.api.post(`/affiliates/${id}/magic_link`, body)).status).toBe(expected)
  expect(await rowsOf(id)).toEqual([])
})
