/** Protects accounts from each other (row 14): a payout of another account is one that does not exist. */
import type { Affiliate, Campaign } from '@tributary/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SecretBox } from '../../src/kit/secret-box.ts'
import { cancelItem } from '../../src/money/payouts/cancel-item.ts'
import { OpenRails } from '../../src/money/payouts/open-rails.ts'
import { payPalCredentials, setPayPalCredentials } from '../../src/money/payouts/rail-credentials.ts'
import { submitPayout } from '../../src/money/payouts/submit-payout.ts'
import { csvStatement } from '../../src/money/statements/csv-statement.ts'
import { TestClient } from '../client.ts'
import { buildAccount } from '../factories.ts'
import { brokenInvariants, type Scene, TEST_SECRET_KEY, useSoundScene } from '../harness.ts'
import { openCampaign } from '../ledger/scene.ts'
import {
  cancelPayout,
  create,
  exported,
  markFailed,
  markPaid,
  owed,
  preview,
  show,
  written,
} from './ground.ts'

/** An account with a manual payout under way, one for PayPal that waits, and credentials. */
interface Tenant {
  scene: Scene
  campaign: Campaign
  affiliate: Affiliate
  manualId: number
  paypalId: number
  itemId: number
}

const scene = useSoundScene()
const secrets = new SecretBox(TEST_SECRET_KEY)
const nowhere = 987_654_321
let mine: Tenant
let theirs: Tenant
let rails: OpenRails

async function settle(at: Scene): Promise<Tenant> {
  const { db } = at.database
  const campaign = await openCampaign(at.database, at.account.id)
  const affiliate = await owed(at, campaign, [5000])
  const manualId = (await create(at, campaign)).id
  const itemId = (await show(at, manualId)).items[0]?.id as number
  await owed(at, campaign, [700])
  const paypalId = (await create(at, campaign, { rail: 'paypal' })).id
  await owed(at, campaign, [30])
  await setPayPalCredentials(db, secrets, at.account.id, {
    clientId: `of-${at.account.id}`,
    clientSecret: 'EK',
  })
  return { scene: at, campaign, affiliate, manualId, paypalId, itemId }
}

beforeAll(async () => {
  const settings = { TRIBUTARY_PAYPAL_URL: 'http://127.0.0.1:1' }
  rails = new OpenRails({ db: scene.database.db, secrets, settings })
  mine = await settle(scene)
  const account = await buildAccount(scene.database)
  theirs = await settle({ ...scene, account, api: new TestClient(scene.app.url, account.key) })
})

afterAll(() => rails.close())

/** Both accounts as they stand, which no foreign id may change. */
const both = () => Promise.all([mine, theirs].map(({ scene: { account } }) => written(scene, account.id)))

/** Every use case that takes an id, with the id to be given. */
const useCases: [
  string,
  (ids: { campaign: number; manual: number; paypal: number; item: number }) => Promise<unknown>,
][] = [
  ['preview', ({ campaign }) => preview(scene, { id: campaign })],
  ['create', ({ campaign }) => create(scene, { id: campaign })],
  ['show', ({ manual }) => show(scene, manual)],
  ['export for PayPal', ({ manual }) => exported(scene, manual, 'paypal')],
  ['export for a bank', ({ manual }) => exported(scene, manual, 'bank')],
  ['pay', ({ manual }) => markPaid(scene, manual)],
  ['pay an item', ({ manual, item }) => markPaid(scene, manual, [item])],
  ['fail', ({ manual }) => markFailed(scene, manual)],
  ['fail an item', ({ manual, item }) => markFailed(scene, manual, [item])],
  ['cancel', ({ paypal }) => cancelPayout(scene.database.db, scene.account.id, paypal)],
  [
    'cancel an item',
    ({ manual, item }) => cancelItem(scene.database.db, rails, scene.account.id, manual, item),
  ],
  ['send to PayPal', ({ paypal }) => submitPayout(scene.database.db, secrets, scene.account.id, paypal)],
]

describe('with the ids of another account', () => {
  it.each(useCases)('%s finds nothing and changes nothing', async (_what, run) => {
    const before = await both()
    const outcome = (ids: Parameters<typeof run>[0]) =>
      run(ids).then(
        () => 'done',
        error => [error.code, error.message],
      )
    const foreign = await outcome({
      campaign: theirs.campaign.id,
      manual: theirs.manualId,
      paypal: theirs.paypalId,
      item: theirs.itemId,
    })
    expect(foreign).toEqual([
      'not_found',
      expect.stringMatching(/^There is no such (campaign|payout( item)?)\.$/),
    ])
    // The same response as for an id that does not exist.
    expect(foreign).toEqual(
      await outcome({ campaign: nowhere, manual: nowhere, paypal: nowhere, item: nowhere }),
    )
    expect(await both()).toEqual(before)
  })

  it('an item of theirs in a payout of mine is no item of it', async () => {
    const before = await both()
    for (const decide of [markPaid, markFailed])
      await expect(decide(scene, mine.manualId, [mine.itemId, theirs.itemId])).rejects.toMatchObject({
        code: 'invalid_state',
        message: expect.stringContaining(`can't be marked manually: ${theirs.itemId}.`),
      })
    expect(await both()).toEqual(before)
  })

  it('the API answers 404, and lists none of theirs', async () => {
    const foreign = await scene.api.get(`/payouts/${theirs.manualId}`)
    expect([foreign.status, foreign.text]).toEqual([404, (await scene.api.get(`/payouts/${nowhere}`)).text])
    expect((await scene.api.get(`/payouts?campaign_id=${theirs.campaign.id}`)).body.data).toEqual([])
    const { body } = await scene.api.get('/payouts')
    expect(body.data.map(({ id }: { id: number }) => id)).toEqual([mine.paypalId, mine.manualId])
  })

  it('a statement has no lines', async () => {
    let file = ''
    await csvStatement(scene.database.db, scene.account.id, theirs.affiliate.id, undefined, text => {
      file += text
    })
    expect(file.split('\r\n').slice(1)).toEqual([''])
  })
})

describe('credentials', () => {
  it('are those of the account that asks', async () => {
    for (const { account } of [mine.scene, theirs.scene])
      expect(await payPalCredentials(scene.database.db, secrets, account.id)).toMatchObject({
        clientId: `of-${account.id}`,
      })
    const without = await buildAccount(scene.database)
    expect(await payPalCredentials(scene.database.db, secrets, without.id)).toBeUndefined()
    expect(await rails.paypal(without.id)).toBeUndefined()
  })

  it('copied over to another account cannot be opened there', async () => {
    const thief = await buildAccount(scene.database)
    await scene.database.owner.query(
      'INSERT INTO rail_credentials (account_id, rail, sealed) SELECT $1, rail, sealed FROM rail_credentials WHERE account_id = $2',
      [thief.id, theirs.scene.account.id],
    )
    await expect(payPalCredentials(scene.database.db, secrets, thief.id)).rejects.toThrow()
  })
})

it('one pays, the other is as before', async () => {
  const before = await written(scene, theirs.scene.account.id)
  await markPaid(scene, mine.manualId)
  await cancelPayout(scene.database.db, scene.account.id, mine.paypalId)
  expect(await written(scene, theirs.scene.account.id)).toEqual(before)
  expect(await brokenInvariants(scene.database)).toEqual([])
})
