/** Protects authentication: both schemes work on every endpoint, and no response reveals why a key was refused. */
import { describe, expect, it } from 'vitest'
import { newApiKey } from '../../src/kit/tokens.ts'
import { type Answer, TestClient } from '../client.ts'
import { buildAccount } from '../factories.ts'
import { useScene } from '../harness.ts'

const scene = useScene()
const ask = (authorization: string): Promise<Answer> =>
  new TestClient(scene.app.url).get('/affiliates', { headers: { authorization } })
const basic = (text: string | Buffer) => `Basic ${Buffer.from(text).toString('base64')}`

describe('a valid key is accepted as', () => {
  it.each<[string, (key: string) => string]>([
    ['a bearer token', key => `Bearer ${key}`],
    ['a bearer token in lower case', key => `bearer ${key}`],
    ['a bearer token in upper case', key => `BEARER ${key}`],
    ['the username of Basic, no password', key => basic(`${key}:`)],
    ['the username of Basic, any password', key => basic(`${key}:pass:word 🔑`)],
    ['the username of Basic, without a colon', key => basic(key)],
    ['the username of basic in lower case', key => basic(`${key}:`).replace('Basic', 'basic')],
    ['the username of Basic, with no padding', key => basic(`${key}:1`).replace(/=+$/, '')],
  ])('%s', async (_what, header) => {
    expect((await ask(header(scene.account.key))).status).toBe(200)
  })
})

describe('every other one is refused alike', () => {
  const refusals: [string, (key: string) => string][] = [
    ['nothing', () => ''],
    ['a scheme alone', () => 'Bearer'],
    ['a scheme and a space', () => 'Bearer '],
    ['Basic alone', () => 'Basic'],
    ['the key alone', key => key],
    ['another scheme', key => `Token ${key}`],
    ['Digest', key => `Digest username="${key}"`],
    ['two tokens', key => `Bearer ${key} ${key}`],
    ['the key with a comma', key => `Bearer ${key},`],
    ['the key in quotes', key => `Bearer "${key}"`],
    ['a colon for a space', key => `Bearer:${key}`],
    ['a key in lower case', key => `Bearer ${key.toLowerCase()}`],
    ['a key cut short', key => `Bearer ${key.slice(0, -1)}`],
    ['a key with one more letter', key => `Bearer ${key}0`],
    ['a key with a wrong checksum', key => `Bearer ${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`],
    ['a key that was never made', () => `Bearer ${newApiKey()}`],
    ['the prefix alone', () => 'Bearer trib_'],
    ['the key as the password', key => basic(`:${key}`)],
    ['the key after another username', key => basic(`user:${key}`)],
    ['the key as Basic, not encoded', key => `Basic ${key}:`],
    ['Basic of nothing', () => basic('')],
    ['Basic of bytes', () => basic(Buffer.from([0xff, 0xfe, 0x00]))],
    ['Basic that is not base64', () => 'Basic ****'],
    ['10,000 characters', () => `Bearer ${'x'.repeat(10_000)}`],
  ]

  it.each(refusals)('%s', async (_what, header) => {
    const answer = await ask(header(scene.account.key))
    const bare = await new TestClient(scene.app.url).get('/affiliates')
    expect([answer.status, bare.status]).toEqual([401, 401])
    expect(answer.text).toBe(bare.text)
    expect(answer.headers.get('www-authenticate')).toBe('Bearer, Basic')
    expect([...answer.headers.keys()]).toEqual([...bare.headers.keys()])
  })

  it('a revoked key', async () => {
    const { key, keyId } = await buildAccount(scene.database)
    expect((await ask(`Bearer ${key}`)).status).toBe(200)
    await scene.database.owner.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [keyId])
    const answer = await ask(`Bearer ${key}`)
    expect(answer.status).toBe(401)
    expect(answer.text).toBe((await ask('')).text)
  })
})

it('a key in the query string opens nothing', async () => {
  const { status } = await new TestClient(scene.app.url).get(`/affiliates?api_key=${scene.account.key}`)
  expect(status).toBe(401)
})

it('a key opens the API and nothing else', async () => {
  const headers = { authorization: `Bearer ${scene.account.key}`, cookie: `tributary=${scene.account.key}` }
  for (const path of [
    '/dashboard/api/session',
    `/dashboard/api/accounts/${scene.account.id}/api_keys`,
    `/dashboard/api/accounts/${scene.account.id}/rails`,
    `/portal/${scene.account.slug}/api/me`,
  ])
    expect([path, (await fetch(scene.app.url + path, { headers })).status]).toEqual([path, 401])
})

it('two keys of one account both work, and revoking one leaves the other', async () => {
  const account = await buildAccount(scene.database)
  const { createApiKey } = await import('../../src/programme/api-keys/create-api-key.ts')
  const { key } = await createApiKey(scene.database.db, account.id, 'second')
  await scene.database.owner.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [account.keyId])
  expect((await ask(`Bearer ${key}`)).status).toBe(200)
  expect((await ask(`Bearer ${account.key}`)).status).toBe(401)
})

it('a key is kept as a digest only, and its use is noted', async () => {
  const account = await buildAccount(scene.database)
  const row = async () =>
    (await scene.database.owner.query('SELECT * FROM api_keys WHERE id = $1', [account.keyId])).rows[0]
  expect((await row()).last_used_at).toBeNull()
  await ask(`Bearer ${account.key}`)
  const { key_hash, last_four, last_used_at } = await row()
  expect(key_hash).toHaveLength(32)
  expect(last_four).toBe(account.key.slice(-4))
  expect(JSON.stringify(await row())).not.toContain(account.key.slice(5, 30))
  expect(Math.abs(last_used_at.getTime() - Date.now())).toBeLessThan(60_000)
})
