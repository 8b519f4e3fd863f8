/** The country of a click comes from the operator's file; whatever is wrong with the file, the click is recorded. */
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readSettings } from '../../src/config.ts'
import { Countries, countryFileProblem } from '../../src/earning/tracking/countries.ts'
import { CountryFile } from '../../src/earning/tracking/country-file.ts'
import { checks } from '../../src/runtime/installation/checks.ts'
import { startApp, type TestApp, useScene } from '../harness.ts'
import { approvedAffiliate, openCampaign } from '../ledger/scene.ts'
import { mmdb } from './mmdb.ts'

const scene = useScene()
const country = (iso_code: string) => ({ country: { iso_code, names: { en: 'A country' } } })
const networks = {
  '203.0.113.0/24': country('DE'),
  '198.51.100.0/25': country('FR'),
  '198.51.100.128/25': country('DE'),
  '192.0.2.0/24': { registered_country: { iso_code: 'NZ' } },
  '100.0.0.0/8': { continent: { code: 'EU' } },
  '101.0.0.0/8': country('not a code'),
  '2001:db8:1::/48': country('JP'),
}
let folder: string
let path: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-countries-'))
  path = join(folder, 'country.mmdb')
})
afterAll(() => rm(folder, { recursive: true }))

describe('a file', () => {
  it.each([24, 28, 32] as const)('with records of %i bits has the countries of its networks', async bits => {
    const file = await CountryFile.from(mmdb(networks, bits))
    const found = Object.fromEntries(
      [
        ...['203.0.113.9', '198.51.100.127', '198.51.100.128', '192.0.2.1', '::ffff:203.0.113.9'],
        ...['2001:db8:1::7', '2001:DB8:1:0::7', '2001:db8:2::7', '8.8.8.8', '100.1.2.3', '101.1.2.3'],
        ...['', 'unknown', '203.0.113', '::'],
      ].map(address => [address, file.countryOf(address)]),
    )
    expect(found).toEqual({
      '203.0.113.9': 'DE',
      '198.51.100.127': 'FR',
      '198.51.100.128': 'DE',
      '192.0.2.1': 'NZ',
      '::ffff:203.0.113.9': 'DE',
      '2001:db8:1::7': 'JP',
      '2001:DB8:1:0::7': 'JP',
      '2001:db8:2::7': null,
      '8.8.8.8': null,
      '100.1.2.3': null,
      '101.1.2.3': null,
      '': null,
      unknown: null,
      '203.0.113': null,
      '::': null,
    })
  })

  it('that is none is refused, and a damaged one fails no lookup', async () => {
    const whole = mmdb(networks)
    for (const bytes of [Buffer.alloc(0), Buffer.from('<html>'), whole.subarray(0, 500), whole.subarray(-60)])
      await expect(CountryFile.from(bytes)).rejects.toThrow('is not a country database in MMDB format')
    for (let at = 0; at < whole.length; at += 7) {
      const damaged = Buffer.from(whole)
      damaged[at] = (damaged[at] ?? 0) ^ 0xff
      await writeFile(path, damaged)
      const countries = new Countries(path, { info: () => undefined, warn: () => undefined })
      await countries.start()
      for (const address of ['203.0.113.9', '2001:db8:1::7', '8.8.8.8'])
        expect(countries.of(address)).toSatisfy(code => code === null || /^[A-Z]{2}$/.test(String(code)))
      countries.stop()
    }
  })
})

it('doctor says what is wrong with the file', async () => {
  const check = (file?: string) =>
    checks['country database']?.(
      scene.database.db,
      scene.app.services.secrets,
      readSettings({ NODE_ENV: 'test', ...(file && { TRIBUTARY_GEO_DATABASE: file }) }),
    )
  expect(await check()).toEqual([])
  const missing = join(folder, 'missing.mmdb')
  expect(await check(missing)).toEqual([`TRIBUTARY_GEO_DATABASE: ${missing} can't be read: ENOENT`])
  await writeFile(path, 'nothing')
  expect(await check(path)).toEqual([expect.stringContaining('is not a country database in MMDB format')])
  await writeFile(path, mmdb(networks))
  expect(await countryFileProblem(path)).toBeNull()
})

it('a replaced file is read without a restart, and a broken one changes nothing', async () => {
  const put = async (bytes: Buffer | string) => {
    await writeFile(`${path}.new`, bytes)
    await rename(`${path}.new`, path)
  }
  const lines: string[] = []
  const log = { info: () => lines.push('read'), warn: () => lines.push('not readable') }
  await put(mmdb({ '203.0.113.0/24': country('DE') }))
  const countries = new Countries(path, log as never)
  await countries.start(20)
  try {
    expect(countries.of('203.0.113.9')).toBe('DE')
    await put(mmdb({ '203.0.113.0/24': country('AT') }))
    await expect.poll(() => countries.of('203.0.113.9'), { timeout: 60_000 }).toBe('AT')
    await put('broken')
    await expect.poll(() => lines.at(-1), { timeout: 60_000 }).toBe('not readable')
    expect(countries.of('203.0.113.9')).toBe('AT')
  } finally {
    countries.stop()
  }
})

describe('a click', () => {
  const clickOn = async (app: TestApp) => {
    const campaign = await openCampaign(scene.database, scene.account.id, {
      destination_url: 'https://shop.example/',
    })
    const { id, token } = await approvedAffiliate(scene, campaign.id)
    const { status } = await fetch(`${app.url}/r/${scene.account.slug}/${token}/${campaign.slug}`, {
      redirect: 'manual',
      headers: { 'x-forwarded-for': '203.0.113.9' },
    })
    expect(status).toBe(302)
    const { rows } = await scene.database.owner.query(
      'SELECT country, address_hash IS NOT NULL AS is_hashed FROM clicks WHERE affiliate_id = $1',
      [id],
    )
    return rows
  }
  const appWith = (file: string) =>
    startApp(scene.database, { TRIBUTARY_GEO_DATABASE: file, TRIBUTARY_TRUST_PROXY: 'true' })

  it.each([
    ['with the file', mmdb(networks), 'DE'],
    ['with a broken file', 'broken', null],
    ['with a missing file', null, null],
  ])('is recorded %s', async (_case, bytes, expected) => {
    const file = join(folder, `${String(expected)}-${bytes === null ? 'missing' : 'file'}.mmdb`)
    if (bytes !== null) await writeFile(file, bytes)
    const app = await appWith(file)
    try {
      expect(await clickOn(app)).toEqual([{ country: expected, is_hashed: true }])
    } finally {
      await app.close()
    }
  })
})
