/** Emails to affiliates: each exactly once, atomically with its cause, and never rendered inside a request. */
import type { Affiliate, Campaign } from '@tributary/contract'
import { affiliateMails, optionalMails, requiredMails } from '@tributary/contract/dashboard'
import pino from 'pino'
import { beforeEach, describe, expect, it } from 'vitest'
import { Database } from '../../src/db/database.ts'
import { settleAllPayouts } from '../../src/money/payouts/settle-payout.ts'
import { approveAffiliate } from '../../src/programme/affiliates/review-affiliate.ts'
import { changePortal } from '../../src/programme/portal-settings/change-portal.ts'
import { TestClient } from '../client.ts'
import { Person } from '../dashboard/person.ts'
import { buildAccount, buildAffiliate, unique } from '../factories.ts'
import { type Scene, useScene } from '../harness.ts'
import { approvedAffiliate, openCampaign } from '../ledger/scene.ts'
import { cancelPayout, create, earnFor, markFailed, markPaid, owe, owed } from '../payouts/ground.ts'
import { PortalBrowser } from './affiliate.ts'
import { emails, noted, write } from './emails.ts'

const base = useScene({ TRIBUTARY_TRUST_PROXY: 'true' })
/** An account for each test. */
let scene: Scene
let campaign: Campaign
beforeEach(async () => {
  const account = await buildAccount(base.database)
  scene = { ...base, account, api: new TestClient(base.app.url, account.key) }
  campaign = await openCampaign(base.database, account.id, {
    hold_days: 30,
    visibility: 'public',
    open_enrollment: true,
  })
})
const emailed = async () => (await emails(scene)).map(({ kind, to_address }) => [kind, to_address])
const setStatus = ({ id }: Pick<Affiliate, 'id'>, status: string) =>
  scene.api.patch(`/affiliates/${id}`, { status })
const pending = () => buildAffiliate(scene.database, scene.account.id, campaign.id)
const silence = (...silent_mails: (typeof optionalMails)[number][]) =>
  changePortal(scene.database.db, scene.account.id, scene.app.services.baseUrl, { silent_mails })

describe('approval and rejection', () => {
  it('is emailed once, however often it is repeated', async () => {
    const affiliate = await pending()
    await Promise.all([1, 2, 3].map(() => setStatus(affiliate, 'approved')))
    await setStatus(affiliate, 'approved')
    expect(await noted(scene)).toEqual(['approved'])
    await write(scene)
    await write(scene)
    expect(await emailed()).toEqual([['approved', affiliate.email]])
    await setStatus(affiliate, 'rejected')
    await setStatus(affiliate, 'rejected')
    await write(scene)
    expect((await emailed()).map(([kind]) => kind)).toEqual(['approved', 'rejected'])
  })

  it('says why, where the team shares the reason, and keeps it on the page until the affiliate is approved', async () => {
    const owner = await Person.join(scene.app, scene.account.id, 'owner')
    const [one, other] = [await pending(), await pending()]
    const reject = (id: number, extra: object) =>
      owner.call('reviewAffiliates', { body: { ids: [id], status: 'rejected', ...extra } })
    await reject(one.id, { reason: 'Your site sells <coupons>', share_reason: true })
    await reject(other.id, { reason: 'Looks like fraud' })
    await write(scene)
    const bodies = Object.fromEntries((await emails(scene)).map(mail => [mail.to_address, mail]))
    expect(bodies[one.email]?.text_body).toContain('Reason: Your site sells <coupons>')
    expect(bodies[other.email]?.text_body).not.toContain('fraud')
    const shown = async (id: number) => (await owner.call('getAffiliate', { id })).body.rejection
    expect(await shown(one.id)).toEqual({ reason: 'Your site sells <coupons>', is_shared: true })
    expect(await shown(other.id)).toEqual({ reason: 'Looks like fraud', is_shared: false })
    await setStatus(other, 'approved')
    expect(await shown(other.id)).toBeNull()
  })

  it('is emailed to each of many, and only if the status changed', async () => {
    const owner = await Person.join(scene.app, scene.account.id, 'owner')
    const many = [await pending(), await pending(), await pending()]
    await setStatus(many[0] as Affiliate, 'approved')
    await write(scene)
    const body = { ids: many.map(({ id }) => id), status: 'approved' }
    expect((await owner.call('reviewAffiliates', { body })).status).toBe(200)
    await write(scene)
    expect((await emailed()).toSorted()).toEqual(many.map(({ email }) => ['approved', email]).toSorted())
  })

  it('only the last decision before rendering is emailed', async () => {
    const affiliate = await pending()
    await setStatus(affiliate, 'approved')
    await setStatus(affiliate, 'rejected')
    await write(scene)
    expect(await emailed()).toEqual([['rejected', affiliate.email]])
  })

  it('sends nothing if it was reverted', async () => {
    const affiliate = await pending()
    const undo = new Error('undo')
    const undone = scene.database.db.transaction(async tx => {
      await approveAffiliate(tx, scene.account.id, affiliate.id)
      throw undo
    })
    await expect(undone).rejects.toBe(undo)
    expect(await noted(scene)).toEqual([])
  })
})

describe('a payout', () => {
  it('is emailed by its outcome, once per payment; a canceled one is not', async () => {
    const canceled = await owed(scene, campaign, [7000])
    await cancelPayout(scene.database.db, scene.account.id, (await create(scene, campaign)).id)
    await owe(scene, campaign, canceled, -7000)
    const [paid, failed] = [await owed(scene, campaign, [5000]), await owed(scene, campaign, [6000])]
    const { id } = await create(scene, campaign)
    const { rows } = await scene.database.owner.query(
      'SELECT id::integer FROM payout_items WHERE payout_id = $1 ORDER BY affiliate_id',
      [id],
    )
    const [one, two] = rows.map(row => row.id)
    expect(await noted(scene)).toEqual([])
    await markPaid(scene, id, [one])
    await markFailed(scene, id, [two], 'Account closed')
    await settleAllPayouts(scene.database.db)
    expect(await emails(scene)).toEqual([])
    await Promise.all([write(scene), write(scene)])
    await write(scene)
    expect((await emailed()).toSorted()).toEqual([
      ['payout_failed', failed.email],
      ['payout_sent', paid.email],
    ])
    const [sent] = await emails(scene, paid.email)
    expect(sent?.subject).toBe('50.00 USD is on its way to you')
    // Paid manually, it may have gone to a bank account.
    expect(sent?.text_body).not.toContain(paid.paypal_email)
    const [bad] = await emails(scene, failed.email)
    expect(bad?.text_body).toContain('Account closed')
    expect(await emails(scene, canceled.email)).toEqual([])
  })
})

describe('another PayPal address', () => {
  it('is emailed to the previous one and to the sign-in email, with the new one', async () => {
    const affiliate = await approvedAffiliate(scene, campaign.id, { paypal_email: 'old@pay.example' })
    const jane = await PortalBrowser.signIn(scene, affiliate.id)
    const change = (paypal_email: string | null) => jane.ask('changePayPal', { body: { paypal_email } })
    await change('old@pay.example')
    expect(await noted(scene)).toEqual([])
    await change('new@pay.example')
    expect([await noted(scene), await emails(scene)]).toEqual([['paypal_changed', 'paypal_changed'], []])
    await write(scene)
    expect((await emailed()).toSorted()).toEqual(
      [
        ['paypal_changed', affiliate.email],
        ['paypal_changed', 'old@pay.example'],
      ].toSorted(),
    )
    for (const { text_body } of await emails(scene)) expect(text_body).toContain('new@pay.example')
    await change(null)
    await write(scene)
    expect((await emailed()).slice(2).toSorted()).toEqual(
      [
        ['paypal_changed', affiliate.email],
        ['paypal_changed', 'new@pay.example'],
      ].toSorted(),
    )
  })

  it('is emailed once if both are the same address, in any spelling', async () => {
    const email = `${unique('jane')}@example.com`
    const affiliate = await approvedAffiliate(scene, campaign.id, {
      email,
      paypal_email: email.toUpperCase(),
    })
    const jane = await PortalBrowser.signIn(scene, affiliate.id)
    await jane.ask('changePayPal', { body: { paypal_email: 'new@pay.example' } })
    await write(scene)
    expect(await emailed()).toEqual([['paypal_changed', email]])
  })
})

describe('an address changed by the company or with its API key', () => {
  it('is emailed to the previous address, not to the new one', async () => {
    const affiliate = await approvedAffiliate(scene, campaign.id, { paypal_email: 'old@pay.example' })
    const owner = await Person.join(scene.app, scene.account.id, 'owner')
    const thief = { email: `${unique('thief')}@example.com`, paypal_email: 'thief@pay.example' }
    expect((await scene.api.patch(`/affiliates/${affiliate.id}`, thief)).status).toBe(200)
    await write(scene)
    expect((await emailed()).toSorted()).toEqual(
      [
        ['email_changed', affiliate.email],
        ['paypal_changed', affiliate.email],
        ['paypal_changed', 'old@pay.example'],
      ].toSorted(),
    )
    const [moved] = (await emails(scene)).filter(({ kind }) => kind === 'email_changed')
    expect(moved?.text_body).toContain(thief.email)
    const body = { paypal_email: 'other@pay.example' }
    expect((await owner.call('updateAffiliate', { id: affiliate.id, body })).status).toBe(200)
    await write(scene)
    expect((await emailed()).slice(3).toSorted()).toEqual(
      [
        ['paypal_changed', thief.email],
        ['paypal_changed', thief.paypal_email],
      ].toSorted(),
    )
  })

  it('is not emailed if it stays the same, in any spelling', async () => {
    const affiliate = await approvedAffiliate(scene, campaign.id, { paypal_email: 'old@pay.example' })
    await scene.api.patch(`/affiliates/${affiliate.id}`, {
      email: affiliate.email.toUpperCase(),
      paypal_email: 'old@pay.example',
      name: 'Jane',
    })
    expect(await noted(scene)).toEqual([])
  })
})

describe('an email that is turned off', () => {
  it('is not sent, and not sent later', async () => {
    await silence(...optionalMails)
    const affiliate = await pending()
    await setStatus(affiliate, 'approved')
    await earnFor(scene, campaign, affiliate, 10_000)
    const jane = await PortalBrowser.signIn(scene, affiliate.id)
    await jane.ask('changePayPal', { body: { paypal_email: 'new@pay.example' } })
    await jane.ask('requestSignInLink', { body: { email: affiliate.email } })
    await owe(scene, campaign, affiliate, 9000)
    await markPaid(scene, (await create(scene, campaign)).id)
    expect((await noted(scene)).length).toBeGreaterThanOrEqual(5)
    await write(scene)
    await silence()
    await write(scene)
    expect([await noted(scene), await emailed()]).toEqual([[], [['paypal_changed', affiliate.email]]])
  })

  it.each(optionalMails)('%s alone leaves the others as they are', async kind => {
    await silence(kind)
    const affiliate = await pending()
    await setStatus(affiliate, 'approved')
    const jane = await PortalBrowser.signIn(scene, affiliate.id)
    await jane.ask('requestSignInLink', { body: { email: affiliate.email } })
    await write(scene)
    const wanted = ['approved', 'sign_in_link'].filter(each => each !== kind)
    expect((await emailed()).map(([each]) => each).toSorted()).toEqual(wanted)
  })
})

describe('the email about a changed address cannot be turned off', () => {
  it('by the settings, which refuse it, alone or among others', async () => {
    const owner = await Person.join(scene.app, scene.account.id, 'owner')
    for (const kind of requiredMails)
      for (const silent_mails of [[kind], ['joined', kind]])
        expect((await owner.call('updatePortal', { body: { silent_mails } })).status).toBe(422)
    expect((await owner.call('getPortal')).body.silent_mails).toEqual([])
  })

  it('by a row that an older version has left, which is not shown either', async () => {
    await scene.database.owner.query('INSERT INTO portals (account_id, silent_mails) VALUES ($1, $2)', [
      scene.account.id,
      affiliateMails,
    ])
    const affiliate = await approvedAffiliate(scene, campaign.id, { paypal_email: 'old@pay.example' })
    const [second, third] = [`${unique('b')}@example.com`, `${unique('c')}@example.com`]
    // Twice in a row, before rendering: each replaced address is notified.
    for (const body of [{ email: second, paypal_email: 'thief@pay.example' }, { email: third }])
      expect((await scene.api.patch(`/affiliates/${affiliate.id}`, body)).status).toBe(200)
    await write(scene)
    expect((await emailed()).toSorted()).toEqual(
      [
        ['email_changed', affiliate.email],
        ['email_changed', second],
        ['paypal_changed', affiliate.email],
        ['paypal_changed', 'old@pay.example'],
      ].toSorted(),
    )
    const owner = await Person.join(scene.app, scene.account.id, 'owner')
    expect((await owner.call('getPortal')).body.silent_mails.toSorted()).toEqual(optionalMails.toSorted())
    // Saving what is shown works.
    expect((await owner.call('updatePortal', { body: { silent_mails: ['joined'] } })).status).toBe(200)
  })

  it('by rejecting the affiliate in the same request', async () => {
    const affiliate = await approvedAffiliate(scene, campaign.id, { paypal_email: null })
    const body = { email: `${unique('thief')}@example.com`, status: 'rejected' }
    expect((await scene.api.patch(`/affiliates/${affiliate.id}`, body)).status).toBe(200)
    await write(scene)
    expect(await emailed()).toContainEqual(['email_changed', affiliate.email])
  })
})

it('each is rendered once by any number of processes, and stays if one fails', async () => {
  const many = await Promise.all(Array.from({ length: 30 }, pending))
  const body = { ids: many.map(({ id }) => id), status: 'approved' }
  const owner = await Person.join(scene.app, scene.account.id, 'owner')
  await owner.call('reviewAffiliates', { body })
  const undo = new Error('undo')
  const died = scene.database.db.transaction(async tx => {
    await write(scene, undefined, tx)
    throw undo
  })
  await expect(died).rejects.toBe(undo)
  expect([(await noted(scene)).length, await emailed()]).toEqual([30, []])

  const second = new Database(scene.database.service, error => {
    throw error
  })
  try {
    await Promise.all(
      [scene.database.db, second, scene.database.db, second].map(db => write(scene, undefined, db)),
    )
  } finally {
    await second.close()
  }
  expect((await emailed()).toSorted()).toEqual(many.map(({ email }) => ['approved', email]).toSorted())
})

it('one that fails to render does not block the queue, is logged by its ID, and is kept', async () => {
  await scene.database.owner.query(
    `INSERT INTO notices (account_id, kind, affiliate_id, details) VALUES ($1, 'payout_sent', $2, '{"item_id": "no number"}')`,
    [scene.account.id, (await pending()).id],
  )
  const affiliate = await pending()
  await setStatus(affiliate, 'approved')
  const logged: string[] = []
  await write(scene, pino({ level: 'info' }, { write: line => logged.push(line) }))
  expect([await emailed(), await noted(scene)]).toEqual([[['approved', affiliate.email]], ['payout_sent']])
  expect(logged.map(line => JSON.parse(line))).toMatchObject([
    { kind: 'payout_sent', account_id: scene.account.id, notice_id: expect.any(Number) },
  ])
  await scene.database.owner.query('DELETE FROM notices WHERE account_id = $1', [scene.account.id])
})
