/** What cannot be restored whole is not restored at all: the database is left as it was, and a sentence says what to do. */
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SecretBox } from '../../src/kit/secret-box.ts'
import { buildAccount, buildAffiliate, buildCampaign, buildCommission } from '../factories.ts'
import { createDatabase, type TestDatabase } from '../harness.ts'
import { TEMPLATE } from '../template-database.ts'
import { backUp, edited, everyRow, type NewDatabase, newDatabase, restore, withHeader } from './scene.ts'

const DAMAGED = /^The backup is damaged or incomplete\. Nothing was restored\. Use another backup\.$/

let database: TestDatabase
let file: Buffer
/** Set up and never used: there is more that could be changed, and the migrations need not run. */
let target: NewDatabase
let before: Record<string, string[]>
beforeAll(async () => {
  database = await createDatabase()
  const account = await buildAccount(database)
  const campaign = await buildCampaign(database, account.id)
  const affiliate = await buildAffiliate(database, account.id, campaign.id)
  const place = { account_id: account.id, campaign_id: campaign.id, affiliate_id: affiliate.id }
  await buildCommission(database, place, { amount_minor: 4711 })
  // So much that cannot be compressed that the file is read in many pieces.
  await database.owner.query(
    `INSERT INTO idempotency_keys (account_id, api_key_id, idempotency_key, request_hash, sealed_answer)
     SELECT $1, $2, n::text, '', decode(string_agg(md5(n::text || m), ''), 'hex')
       FROM generate_series(1, 20) n, generate_series(1, 500) m GROUP BY n`,
    [account.id, account.keyId],
  )
  file = await backUp(database.service.database as string)
  target = await newDatabase(TEMPLATE)
  before = await everyRow(target.owner)
})
afterAll(async () => {
  await target.drop()
  await database.drop()
})

/** Refused, and nothing is there that was not there before. */
async function expectRefusal(broken: Buffer, message: RegExp, box?: SecretBox): Promise<void> {
  await expect(restore(target.name, broken, box)).rejects.toThrow(message)
  expect(await everyRow(target.owner)).toEqual(before)
}

/** Offsets all over the file, its ends among them. */
const offsets = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => from + Math.floor(((file.length - 1 - from) * n) / (count - 1)))

describe('a damaged backup', () => {
  it('cut off anywhere', async () => {
    for (const at of offsets(1, 10)) await expectRefusal(file.subarray(0, at), DAMAGED)
    await expectRefusal(Buffer.alloc(0), DAMAGED)
  })

  it('with one bit changed anywhere', async () => {
    // Of the ten bytes before, some say when and where it was compressed, and nothing hangs on them.
    for (const at of offsets(10, 10)) {
      const broken = Buffer.from(file)
      broken[at] = (broken[at] as number) ^ 0x10
      await expectRefusal(broken, /damaged or incomplete|is not a Tributary backup/)
    }
  })

  it('with something added', async () => {
    await expectRefusal(Buffer.concat([file, gzipSync('more')]), DAMAGED)
    await expectRefusal(
      edited(file, text => `${text}\n`),
      DAMAGED,
    )
  })

  it.each<[string, (text: string) => string]>([
    ['another amount', text => text.replaceAll('\t4711\t', '\t4712\t')],
    ['another name', text => text.replace('\tProgramme\t', '\tProgram\t')],
    ['a row less', text => text.replace(/\n1\t.*\t4711\t.*\n/, '\n')],
    ['an amount that is none', text => text.replace('\t4711\t', '\tmuch\t')],
    ['a row without its parent', text => text.replace(/(\n\{"table":"campaigns"\}\n)1\t/, '$177\t')],
    ['tables in another order', text => text.replace('{"table":"accounts"}', '{"table":"affiliates"}')],
    ['other counts', text => text.replace('"accounts":1', '"accounts":2')],
  ])('with %s, and compressed again', async (_, edit) => {
    const broken = edited(file, edit)
    expect(gunzipSync(broken)).not.toEqual(gunzipSync(file))
    await expectRefusal(broken, DAMAGED)
  })
})

describe('what is no backup for here', () => {
  it.each<[string, () => Buffer]>([
    ['text', () => Buffer.from('CREATE TABLE accounts ();')],
    ['other compressed text', () => gzipSync('CREATE TABLE accounts ();\n')],
    ['other JSON', () => gzipSync('{"accounts":[]}\n')],
    ['null', () => gzipSync('null\n')],
  ])('%s', (_, make) => expectRefusal(make(), /^This is not a Tributary backup\.$/))

  it('one of a later version', () =>
    expectRefusal(
      withHeader(file, header => ({
        ...header,
        version: '7.0.0',
        migrations: [...header.migrations, { version: 9999, checksum: 'f' }],
      })),
      /^The backup is newer than this program: it needs migration 9999, .* Tributary 7\.0\.0 or later/,
    ))

  it('one of a later format', () =>
    expectRefusal(
      withHeader(file, header => ({ ...header, tributary_backup: 2, version: '7.0.0' })),
      /made by a later version of Tributary \(7\.0\.0\)/,
    ))

  it('one with a migration that is written otherwise here', () =>
    expectRefusal(
      withHeader(file, header => ({ ...header, migrations: [{ version: 1, checksum: 'f' }] })),
      /Migration 1 .* was changed/,
    ))

  it('one that was made with another secret key', () =>
    expectRefusal(file, /secret key does not match .*TRIBUTARY_SECRET_KEY.*secret\.key/s, new SecretBox('x')))
})

describe('a database that is not empty', () => {
  it('because it was set up by a later version', () =>
    expectRefusal(
      withHeader(file, header => ({ ...header, migrations: header.migrations.slice(0, -1) })),
      /set up by a later version .* than the backup/,
    ))

  it('because it contains an exchange rate that was set manually', async () => {
    await target.owner.query(
      `INSERT INTO fx_rates (base, quote, day, rate, source)
       VALUES ('EUR', 'USD', '2026-01-31', 1, 'manual'), ('EUR', 'GBP', '2026-01-31', 1, 'ecb')`,
    )
    before = await everyRow(target.owner)
    await expectRefusal(file, /^This database already has rows in fx_rates\. Restore into an empty/)
  })

  it('because it has an account', async () => {
    await target.owner.query(`INSERT INTO accounts (name, slug) VALUES ('A', 'a')`)
    before = await everyRow(target.owner)
    await expectRefusal(file, /^This database already has accounts\. Restore into an empty/)
  })
})

describe('what cannot be backed up', () => {
  it('a database that was never used', async () => {
    const unused = await newDatabase()
    try {
      await expect(backUp(unused.name)).rejects.toThrow(/^Nothing to back up/)
    } finally {
      await unused.drop()
    }
  })

  it('one with secrets that another key has sealed', async () => {
    await database.owner.query(`INSERT INTO installation (secret_key_check) VALUES ('\\x00')`)
    await expect(backUp(database.service.database as string)).rejects.toThrow(
      /TRIBUTARY_SECRET_KEY does not match the key/,
    )
  })
})
