/** Protects visitors of affiliates' sites and other companies: only known files are kept and served, as what they are, to whom they are for. */
import { MOST_CREATIVES } from '@tributary/contract/dashboard'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Db } from '../../src/db/database.ts'
import { changeCreative } from '../../src/programme/creatives/change-creative.ts'
import { Person } from '../dashboard/person.ts'
import { buildAccount, buildAffiliate, type TestAccount } from '../factories.ts'
import { type Scene, useScene } from '../harness.ts'
import { whileHeld } from '../interleave.ts'
import { approvedAffiliate, openCampaign } from '../ledger/scene.ts'
import { PortalBrowser } from './affiliate.ts'

const base = useScene({ TRIBUTARY_TRUST_PROXY: 'true' })
const png = Buffer.from('89504e470d0a1a0a0000000d494844520000012c000000fa0806000000', 'hex')
const pdf = Buffer.from('%PDF-1.7\n%%EOF\n')
const base64 = (bytes: Buffer | string) => Buffer.from(bytes).toString('base64')

let scene: Scene
let account: TestAccount
let owner: Person
let campaignId: number
let jane: PortalBrowser
beforeEach(async () => {
  account = await buildAccount(base.database)
  scene = { ...base, account }
  owner = await Person.join(base.app, account.id, 'owner')
  campaignId = (await openCampaign(base.database, account.id)).id
  jane = await PortalBrowser.signIn(scene, (await approvedAffiliate(scene, campaignId)).id)
})
const add = (body: Record<string, unknown>, by = owner) => by.call('createCreative', { body })
const banner = (more: object = {}) =>
  add({ kind: 'banner', name: 'Spring "sale"', file: base64(png), ...more })
const address = ({ id, file }: { id: number; file: { version: string } }, slug = account.slug) =>
  `/portal/${slug}/creative/${id}/${file.version}`

describe('a creative', () => {
  const shown = async () => ({
    owner: (await owner.call('listCreatives')).body.data.map(({ name }: { name: string }) => name),
    jane: (await jane.get(`/portal/${account.slug}/api/creatives`)).body.data.map(
      ({ name }: { name: string }) => name,
    ),
  })
  const addText = async (name: string): Promise<number> =>
    (await add({ kind: 'text', name, text: 'Look: {link}' })).body.id

  it('gets another name and text, with what they replaced in the audit log', async () => {
    const id = await addText('Tweet')
    const { status, body } = await owner.call('updateCreative', {
      id,
      body: { name: 'Post', text: '{link}!' },
    })
    expect([status, body]).toMatchObject([200, { id, kind: 'text', name: 'Post', text: '{link}!' }])
    const { data } = (await owner.call('listAuditLog', { query: { action: 'creative.update' } })).body
    expect(data[0].details).toMatchObject({ name: 'Post', before: { name: 'Tweet', text: 'Look: {link}' } })
    expect((await owner.call('updateCreative', { id, body: { text: 'x' } })).body).toMatchObject({
      name: 'Post',
      text: 'x',
    })
  })

  it('keeps its file, and a banner takes no text', async () => {
    const { body } = await banner()
    const renamed = await owner.call('updateCreative', { id: body.id, body: { name: 'Summer' } })
    expect(renamed.body).toEqual({ ...body, name: 'Summer' })
    expect((await jane.get(address(body))).body).toEqual(png)
    for (const wrong of [{ text: 'x' }, { name: ' ' }, { name: '' }, { file: base64(pdf) }])
      expect((await owner.call('updateCreative', { id: body.id, body: wrong as object })).status).toBe(422)
  })

  it('is shown in the order of the company, and new ones come first', async () => {
    const ids = [await addText('A'), await addText('B'), await addText('C')]
    expect(await shown()).toEqual({ owner: ['C', 'B', 'A'], jane: ['C', 'B', 'A'] })
    expect(
      (await owner.call('orderCreatives', { body: { ids: [ids[1], ids[2], ids[0]] as number[] } })).status,
    ).toBe(200)
    await addText('D')
    expect(await shown()).toEqual({ owner: ['D', 'B', 'C', 'A'], jane: ['D', 'B', 'C', 'A'] })
    expect((await owner.call('orderCreatives', { body: { ids: [1, 1] } })).status).toBe(422)
  })

  it('is changed by its own account and those who may only', async () => {
    const [first, second] = [await addText('A'), await addText('B')]
    const rival = await Person.join(base.app, (await buildAccount(base.database)).id, 'owner')
    const viewer = await Person.join(base.app, account.id, 'viewer')
    const change = { id: first, body: { name: 'Mine' } }
    const order = { body: { ids: [first, second] } }
    expect((await rival.call('updateCreative', change)).status).toBe(404)
    expect((await viewer.call('updateCreative', change)).status).toBe(403)
    expect((await rival.call('orderCreatives', order)).status).toBe(200)
    expect((await viewer.call('orderCreatives', order)).status).toBe(403)
    expect((await shown()).owner).toEqual(['B', 'A'])
  })
})

describe('a banner', () => {
  it('is kept with its type and size, and anyone can load it as that type', async () => {
    const { status, body } = await banner()
    expect(status).toBe(200)
    expect(body).toMatchObject({
      kind: 'banner',
      name: 'Spring "sale"',
      campaign_id: null,
      text: null,
      file: { type: 'image/png', bytes: png.length, width: 300, height: 250 },
    })
    const stranger = new PortalBrowser(base.app, account.slug)
    const { status: found, headers, body: bytes } = await stranger.get(address(body))
    expect([found, bytes]).toEqual([200, png])
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': 'inline; filename="spring-sale.png"',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'cross-origin-resource-policy': 'cross-origin',
    })
  })

  it('is found at its own address only', async () => {
    const { body } = await banner()
    const rival = await buildAccount(base.database)
    const version = body.file.version as string
    const other = version.replace(/^./, first => (first === '0' ? '1' : '0'))
    for (const path of [
      address(body, rival.slug),
      address({ ...body, file: { version: other } }),
      address({ ...body, id: body.id + 1 }),
      address({ ...body, file: { version: '' } }),
      address({ ...body, file: { version: "x'; --" } }),
    ])
      expect([path, (await jane.get(path)).body]).not.toEqual([path, png])
  })

  it.each([
    ['an SVG', base64('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')],
    ['a page', base64('<!doctype html><script>alert(1)</script>')],
    ['a PDF', base64(pdf)],
    ['a picture that is cut short', base64(png.subarray(0, 12))],
    ['a file that is too large', base64(Buffer.concat([png, Buffer.alloc(1024 * 1024)]))],
    ['nothing', undefined],
    ['no base64', 'é'],
  ])('is not %s', async (_name, file) => {
    const { status, body } = await banner({ file })
    expect([status, body.error.code]).toEqual([422, 'validation_failed'])
    expect((await owner.call('listCreatives')).body.data).toEqual([])
  })
})

it('needs a name that is not blank', async () => {
  const { status, body } = await banner({ name: '  ' })
  expect([status, body.error.message]).toEqual([422, 'name must not be blank.'])
})

describe('a document', () => {
  it('is for affiliates who are approved', async () => {
    const { body } = await add({ kind: 'document', name: 'Prices', file: base64(pdf) })
    const { id } = await buildAffiliate(base.database, account.id, campaignId)
    const applicant = await PortalBrowser.signIn(scene, id)
    expect((await applicant.call('listCreatives')).body.data).toEqual([])
    expect((await applicant.call('downloadCreative', { id: body.id })).status).toBe(404)
  })

  it('is downloaded by affiliates and the team, and shown to no one else', async () => {
    const { body } = await add({ kind: 'document', name: 'Für alle', file: base64(pdf) })
    for (const { status, headers, text } of [
      await jane.call('downloadCreative', { id: body.id }),
      await owner.call('getCreativeFile', { id: body.id }),
    ]) {
      expect([status, text]).toEqual([200, pdf.toString()])
      expect(headers.get('content-disposition')).toBe('attachment; filename="fu-r-alle.pdf"')
      expect([headers.get('content-type'), headers.get('x-content-type-options')]).toEqual([
        'application/pdf',
        'nosniff',
      ])
    }
    expect((await new PortalBrowser(base.app, account.slug).get(address(body))).status).toBe(404)
    const stranger = new PortalBrowser(base.app, account.slug)
    expect((await stranger.call('downloadCreative', { id: body.id })).status).toBe(401)
  })

  it('can be as large as the limit, and no larger', async () => {
    const sized = (bytes: number) => base64(Buffer.concat([pdf, Buffer.alloc(bytes - pdf.length)]))
    const large = await add({ kind: 'document', name: 'Large', file: sized(2 * 1024 * 1024) })
    expect([large.status, large.body.file.bytes]).toEqual([200, 2 * 1024 * 1024])
    expect((await add({ kind: 'document', name: 'Larger', file: sized(2 * 1024 * 1024 + 1) })).status).toBe(
      422,
    )
  })
})

it('a creative is for the affiliates of its campaign, or for all', async () => {
  const other = await openCampaign(base.database, account.id)
  const kim = await PortalBrowser.signIn(scene, (await approvedAffiliate(scene, other.id)).id)
  await add({ kind: 'text', name: 'For all', text: 'Look: {link}' })
  const { body } = await banner({ campaign_id: campaignId })
  const names = async (browser: PortalBrowser) =>
    ((await browser.ask('listCreatives')).data as { name: string }[]).map(({ name }) => name)
  expect([await names(jane), await names(kim)]).toEqual([['Spring "sale"', 'For all'], ['For all']])
  expect((await jane.call('downloadCreative', { id: body.id })).status).toBe(200)
  expect((await kim.call('downloadCreative', { id: body.id })).status).toBe(404)
  await owner.call('setCampaignStatus', { id: campaignId, body: { status: 'archived' } })
  expect(await names(jane)).toEqual(['For all'])
})

it('belongs to its account: no other lists, downloads, deletes or names it', async () => {
  const { body } = await banner()
  const rivalAccount = await buildAccount(base.database)
  const rival = await Person.join(base.app, rivalAccount.id, 'owner')
  expect((await rival.call('listCreatives')).body.data).toEqual([])
  expect((await rival.call('getCreativeFile', { id: body.id })).status).toBe(404)
  expect((await rival.call('deleteCreative', { id: body.id })).status).toBe(404)
  expect((await add({ kind: 'text', name: 'x', text: 'x', campaign_id: campaignId }, rival)).status).toBe(422)
  expect((await owner.call('listCreatives')).body.data).toHaveLength(1)
})

it.each([
  [{ kind: 'text', name: 'Tweet' }],
  [{ kind: 'text', name: 'Tweet', text: 'x', file: base64(png) }],
  [{ kind: 'banner', name: 'Banner', text: 'x', file: base64(png) }],
  [{ kind: 'page', name: 'Page', text: 'x' }],
  [{ kind: 'text', name: '', text: 'x' }],
  [{ kind: 'text', name: 'Tweet', text: 'x'.repeat(5001) }],
])('%j is refused', async body => expect((await add(body)).status).toBe(422))

it('is in the audit log, without the file, also after it is deleted', async () => {
  const { body } = await banner()
  expect((await owner.call('deleteCreative', { id: body.id })).status).toBe(200)
  expect((await owner.call('deleteCreative', { id: body.id })).status).toBe(404)
  const { data } = (await owner.call('listAuditLog')).body
  expect(
    data.slice(0, 2).map((entry: { action: string; details: object }) => [entry.action, entry.details]),
  ).toEqual([
    ['creative.delete', { name: 'Spring "sale"' }],
    ['creative.create', { kind: 'banner', name: 'Spring "sale"', file: `image/png, ${png.length} bytes` }],
  ])
})

it('of two changes at once, the second replaces what the first wrote', async () => {
  const { body } = await add({ kind: 'text', name: 'Tweet', text: 'Old' })
  const change = (db: Db, text: string) => changeCreative(db, account.id, body.id, { text })
  const { before } = await whileHeld(
    base.database,
    tx => change(tx, 'First'),
    () => change(base.database.db, 'Second'),
  )
  expect(before).toEqual({ name: 'Tweet', text: 'First' })
})

it('there are never more than the limit, however many are added at once', async () => {
  await base.database.owner.query(
    `INSERT INTO creatives (account_id, kind, name, text) SELECT $1, 'text', 'x', 'x' FROM generate_series(1, $2)`,
    [account.id, MOST_CREATIVES - 2],
  )
  const added = await Promise.all(
    Array.from({ length: 8 }, () => add({ kind: 'text', name: 'Tweet', text: '{link}' })),
  )
  expect(added.map(({ status }) => status).toSorted()).toEqual([200, 200, 409, 409, 409, 409, 409, 409])
  expect((await owner.call('listCreatives')).body.data).toHaveLength(MOST_CREATIVES)
})
