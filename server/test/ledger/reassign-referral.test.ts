/**
 * Protects reassigning: the new affiliate gets exactly what the preview showed, the one before loses exactly that, no sale is paid twice, and
 * what is settled stays as it was.
 */
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { rejectAffiliate } from '../../src/programme/affiliates/review-affiliate.ts'
import { setCampaignStatus } from '../../src/programme/campaigns/set-campaign-status.ts'
import { Person } from '../dashboard/person.ts'
import { buildAffiliate, unique } from '../factories.ts'
import { brokenInvariants, useSoundScene } from '../harness.ts'
import { callOf, done, ground, ledgerOf, owedTo, problemOf } from './reassign-scene.ts'
import { convert, countRows, earn, earnOne, entriesOf, openCampaign, pay, percent, sell } from './scene.ts'

const scene = useSoundScene()
let admin: Person
beforeAll(async () => {
  admin = await Person.join(scene.app, scene.account.id, 'admin')
})
afterEach(async () => expect(await brokenInvariants(scene.database)).toEqual([]))

const reject = (id: number) => scene.database.db.transaction(tx => rejectAffiliate(tx, scene.account.id, id))

const refundOf = (sale_external_id: string, amount_minor?: number) =>
  scene.api.post('/ingest/v1/refunds', {
    external_id: unique('refund'),
    sale_external_id,
    ...(amount_minor && { amount_minor }),
  })

describe('a referral', () => {
  it('moves with its open commissions as the preview shows, and later sales earn for the new affiliate', async () => {
    const given = await ground(scene, { hold_days: 30 })
    const { preview, reassign } = callOf(admin, given)
    const approved = await earnOne(scene, given, 10_000)
    await scene.api.patch(`/commissions/${approved.entry.id}`, { status: 'approved' })
    await earnOne(scene, given, 5000)
    const before = await countRows(scene, 'events', 'account_id = $1', [scene.account.id])
    const shown = await done(preview())
    expect(shown).toMatchObject({ status: 'approved', review: [], sales: 2, waiting_sales: 0 })
    expect(shown.entries).toMatchObject([
      { change: 'created', amount_minor: 2000, status: 'pending', affiliate_id: given.to.id },
      { change: 'created', amount_minor: 1000, status: 'pending', affiliate_id: given.to.id },
      { change: 'voided', amount_minor: -2000, status: 'approved', affiliate_id: given.affiliate.id },
      { change: 'voided', amount_minor: -1000, status: 'void', affiliate_id: given.affiliate.id },
    ])
    expect(await ledgerOf(scene, given)).toHaveLength(2)
    expect(await countRows(scene, 'events', 'account_id = $1', [scene.account.id])).toBe(before)
    expect(await done(reassign({ digest: shown.digest }))).toEqual(shown)
    await earnOne(scene, given, 20_000)
    expect(await ledgerOf(scene, given)).toEqual([
      ['from', 'earned', 2000, 'approved'],
      ['from', 'earned', 1000, 'void'],
      ['from', 'clawback', -2000, 'approved'],
      ['to', 'earned', 2000, 'pending'],
      ['to', 'earned', 1000, 'pending'],
      ['to', 'earned', 4000, 'pending'],
    ])
    expect([await owedTo(scene, given.affiliate), await owedTo(scene, given.to)]).toEqual([0, 7000])
    // Every entry has its event, as doctor checks; the conversion happened once.
    const events = ['conversion.created', given.referralId]
    expect(await countRows(scene, 'events', 'kind = $1 AND subject_id = $2', events)).toBe(1)
    expect((await scene.api.get(`/referrals/${given.referralId}`)).body.affiliate_id).toBe(given.to.id)
    expect(problemOf(await reassign({ digest: shown.digest }))).toEqual([
      409,
      'The referral is credited to this affiliate in this campaign already.',
    ])
  })

  it('is audited with who was credited before, and explained', async () => {
    const given = await ground(scene)
    await done(callOf(admin, given).reassign())
    const query = { action: 'referral.reassign', subject_id: given.referralId }
    const { data } = (await admin.call('listAuditLog', { query })).body
    expect(data).toHaveLength(1)
    expect(data[0].details).toMatchObject({ affiliate_id: given.to.id, reason: 'A call' })
    expect(data[0].details.before).toEqual({ affiliate_id: given.affiliate.id })
    const named = data[0].objects.filter(({ kind }: { kind: string }) => kind === 'affiliate')
    expect(named.map(({ id }: { id: number }) => id)).toEqual([given.to.id, given.affiliate.id])
    const again = { campaign_id: given.campaign.id, customer_ref: given.customer_ref }
    const { body } = await convert(scene.api, { ...again, token: given.affiliate.token })
    expect(body.referral).toMatchObject({ id: given.referralId, affiliate_id: given.to.id })
    expect(body.attribution.reason).toMatch(/^Credited manually on \d{4}-\d\d-\d\d: A call$/)
  })

  it('leaves what is paid, in a payout or void; a sale that earned nothing for a rejected affiliate earns', async () => {
    const given = await ground(scene)
    const { affiliate, to, campaign, customer_ref } = given
    const paid = await earnOne(scene, given, 10_000)
    expect(await pay(scene, campaign.id)).toEqual({ [affiliate.id]: 2000 })
    const voided = await earnOne(scene, given, 3000)
    const ids = [voided.entry.id]
    await done(admin.call('reviewCommissions', { body: { ids, status: 'void' } }))
    await reject(affiliate.id)
    await sell(scene.api, { customer_ref, external_id: unique('sale'), amount_minor: 7000, currency: 'USD' })
    const body = await done(callOf(admin, given).reassign())
    expect(body).toMatchObject({ sales: 1 })
    expect(body.entries).toMatchObject([
      { change: 'created', amount_minor: 1400, affiliate_id: to.id },
      { change: 'kept', amount_minor: 2000, status: 'paid', affiliate_id: affiliate.id },
      { change: 'kept', amount_minor: 600, affiliate_id: affiliate.id },
    ])
    expect([await owedTo(scene, affiliate), await owedTo(scene, to)]).toEqual([0, 1400])
    const { sales } = (await admin.call('getReferral', { id: given.referralId })).body
    expect(sales.map((sale: { unearned_reason: unknown }) => sale.unearned_reason)).toEqual([
      null,
      null,
      null,
    ])
    // A refund of the paid sale is taken from who was paid.
    await refundOf(paid.external_id)
    expect([await owedTo(scene, affiliate), await owedTo(scene, to)]).toEqual([-2000, 1400])
  })

  it('moves as often as needed, and back', async () => {
    const given = await ground(scene)
    const sale = await earnOne(scene, given, 10_000)
    const { reassign } = callOf(admin, given)
    for (const affiliate_id of [given.to.id, given.affiliate.id, given.to.id, given.affiliate.id])
      await done(reassign({ affiliate_id }))
    expect([await owedTo(scene, given.affiliate), await owedTo(scene, given.to)]).toEqual([2000, 0])
    await refundOf(sale.external_id, 5000)
    expect([await owedTo(scene, given.affiliate), await owedTo(scene, given.to)]).toEqual([1000, 0])
    expect(await pay(scene, given.campaign.id)).toEqual({ [given.affiliate.id]: 1000 })
    // Now it is paid, and stays.
    await done(reassign({ affiliate_id: given.to.id }))
    expect([await owedTo(scene, given.affiliate), await owedTo(scene, given.to)]).toEqual([0, 0])
  })

  it('of a test stays one', async () => {
    const given = await ground(scene, {}, { is_test: true })
    await earnOne(scene, given, 10_000)
    expect(await done(callOf(admin, given).reassign())).toMatchObject({ is_test: true })
    expect(await owedTo(scene, given.to)).toBe(0)
  })
})

describe('refunds', () => {
  it('from before reduce the new commission; later ones and reversals concern it alone', async () => {
    const given = await ground(scene, { hold_days: 30 })
    const { affiliate, to } = given
    const first = await earnOne(scene, given, 10_000)
    const second = await earnOne(scene, given, 10_000)
    await scene.api.patch(`/commissions/${second.entry.id}`, { status: 'approved' })
    for (const sale of [first, second]) await refundOf(sale.external_id, 2500)
    await done(callOf(admin, given).reassign())
    expect([await owedTo(scene, affiliate), await owedTo(scene, to)]).toEqual([0, 3000])
    for (const sale of [first, second]) {
      const answer = await refundOf(sale.external_id, 5000)
      expect(answer.body.commissions).toMatchObject([{ affiliate_id: to.id, amount_minor: -1000 }])
    }
    expect([await owedTo(scene, affiliate), await owedTo(scene, to)]).toEqual([0, 1000])
    // The sale reported again: what it earned, for whom it is credited to now.
    const { body } = await sell(scene.api, {
      customer_ref: given.customer_ref,
      external_id: first.external_id,
      amount_minor: 10_000,
      currency: 'USD',
    })
    expect(body.commissions).toMatchObject([{ affiliate_id: to.id, amount_minor: 2000 }])
  })

  it('of everything keep the sale where it was: nothing is left to move', async () => {
    const given = await ground(scene)
    const sale = await earnOne(scene, given, 10_000)
    await refundOf(sale.external_id)
    expect(await done(callOf(admin, given).reassign())).toMatchObject({
      sales: 0,
      entries: [{ change: 'kept', amount_minor: 2000 }],
    })
    expect([await owedTo(scene, given.affiliate), await owedTo(scene, given.to)]).toEqual([0, 0])
  })

  it('a later rejection takes everything back, from both affiliates', async () => {
    const given = await ground(scene)
    await earnOne(scene, given, 10_000)
    await pay(scene, given.campaign.id)
    await earnOne(scene, given, 5000)
    await done(callOf(admin, given).reassign())
    const body = { ids: [given.referralId], status: 'rejected' }
    await done(admin.call('reviewReferrals', { body }))
    expect([await owedTo(scene, given.affiliate), await owedTo(scene, given.to)]).toEqual([-2000, 0])
    expect(problemOf(await callOf(admin, given).reassign({ affiliate_id: given.affiliate.id }))).toEqual([
      409,
      "The referral is rejected and earns nothing, so it can't be reassigned.",
    ])
  })
})

describe('the rules of the new campaign', () => {
  it('decide: rate, hold, months since the first sale; sales reported in the old campaign follow', async () => {
    const given = await ground(scene)
    const other = await openCampaign(scene.database, scene.account.id, {
      hold_days: 30,
      rewards: [percent(1000, { recurringMonths: 0 })],
    })
    const sale = { amount_minor: 10_000, currency: 'USD' }
    const { customer_ref, to } = given
    for (let each = 0; each < 2; each++) await earnOne(scene, given, 10_000)
    const { reassign } = callOf(admin, given)
    expect(problemOf(await reassign({ campaign_id: other.id }))).toEqual([
      409,
      'The affiliate is not enrolled in this campaign. Enrol them first.',
    ])
    await scene.api.post('/affiliates', { email: to.email, campaign_id: other.id })
    const body = await done(reassign({ campaign_id: other.id }))
    // Only the first sale earns there.
    expect(body).toMatchObject({ sales: 2 })
    expect(await ledgerOf(scene, given)).toEqual([
      ['from', 'earned', 2000, 'approved'],
      ['from', 'earned', 2000, 'approved'],
      ['from', 'clawback', -2000, 'approved'],
      ['from', 'clawback', -2000, 'approved'],
      ['to', 'earned', 1000, 'pending'],
    ])
    for (const campaign_id of [given.campaign.id, other.id]) {
      const sold = await sell(scene.api, { customer_ref, campaign_id, external_id: unique('sale'), ...sale })
      expect(sold.body).toMatchObject({ referral: { id: given.referralId }, commissions: [] })
      const report = { customer_ref, campaign_id, token: given.affiliate.token }
      const again = await convert(scene.api, {
        ...report,
        sale: { external_id: unique('sale'), ...sale },
      })
      expect(again.body.referral).toMatchObject({ id: given.referralId, affiliate_id: to.id })
    }
    expect(await countRows(scene, 'referrals', 'customer_ref = $1', [customer_ref])).toBe(1)
  })

  it('decide over credit for the customer too', async () => {
    const referee = percent(1000, { beneficiary: 'referee', entryType: 'credit' })
    const terms = {
      program_type: 'referral' as const,
      rewards: [percent(2000, { beneficiary: 'referrer' }), referee],
    }
    const given = await ground(scene, terms)
    const { external_id } = await earn(scene, given, 10_000)
    await done(callOf(admin, given).reassign())
    await refundOf(external_id, 5000)
    const summed = new Map<string, number>()
    for (const entry of await entriesOf(scene, given.referralId)) {
      const whose = `${entry.beneficiary} of ${entry.affiliate_id === given.to.id ? 'to' : 'from'}`
      summed.set(whose, (summed.get(whose) ?? 0) + entry.payout_amount_minor)
    }
    expect(Object.fromEntries(summed)).toEqual({
      'referrer of from': 0,
      'referee of from': 0,
      'referrer of to': 1000,
      'referee of to': 500,
    })
    expect(await owedTo(scene, given.to)).toBe(1000)
  })

  it('decide over another currency: the sale waits for its rate and then earns once', async () => {
    const given = await ground(scene)
    const other = await openCampaign(scene.database, scene.account.id, { payout_currency: 'ISK' })
    await scene.api.post('/affiliates', { email: given.to.email, campaign_id: other.id })
    await earnOne(scene, given, 10_000)
    const body = await done(callOf(admin, given).reassign({ campaign_id: other.id }))
    expect(body).toMatchObject({ waiting_sales: 1, entries: [{ change: 'voided', amount_minor: -2000 }] })
  })
})

describe('reassigning is refused', () => {
  it('for whom or where attribution would not credit', async () => {
    const given = await ground(scene)
    const { reassign } = callOf(admin, given)
    const pending = await buildAffiliate(scene.database, scene.account.id, given.campaign.id)
    expect((await reassign({ affiliate_id: pending.id })).status).toBe(409)
    expect((await reassign({ affiliate_id: 999_999_999 })).status).toBe(422)
    expect((await reassign({ campaign_id: 999_999_999 })).status).toBe(422)
    expect((await reassign({ reason: undefined })).status).toBe(422)
    const body = { ...given.request, dry_run: false }
    expect((await admin.call('reassignReferral', { id: 999_999_999, body })).status).toBe(404)
    const elsewhere = await openCampaign(scene.database, scene.account.id)
    await scene.api.post('/affiliates', { email: given.to.email, campaign_id: elsewhere.id })
    const { customer_ref } = given
    await convert(scene.api, { campaign_id: elsewhere.id, customer_ref })
    expect(problemOf(await reassign({ campaign_id: elsewhere.id }))).toEqual([
      409,
      'The customer has an unattributed conversion in this campaign. Credit that one.',
    ])
    await convert(scene.api, { campaign_id: elsewhere.id, customer_ref, token: given.to.token })
    expect(problemOf(await reassign({ campaign_id: elsewhere.id }))).toEqual([
      409,
      'The customer has a referral in this campaign already.',
    ])
    await reject(given.to.id)
    expect(problemOf(await reassign())).toEqual([
      409,
      'The affiliate is rejected; only approved affiliates are credited. Approve them first.',
    ])
    await setCampaignStatus(scene.database.db, scene.account.id, given.campaign.id, 'archived')
    expect(problemOf(await reassign())).toEqual([409, 'The campaign is archived. Restore it first.'])
  })

  it('when the effect is not the one that was shown', async () => {
    const given = await ground(scene)
    const { preview, reassign } = callOf(admin, given)
    const { digest } = await done(preview())
    await earnOne(scene, given, 10_000)
    expect(problemOf(await reassign({ digest }))).toEqual([
      409,
      'The effect has changed since the preview. Check the new preview and try again.',
    ])
    expect(await owedTo(scene, given.to)).toBe(0)
  })

  it('to people who do not manage the programme, and across accounts', async () => {
    const given = await ground(scene)
    const finance = await Person.join(scene.app, scene.account.id, 'finance')
    for (const dry_run of [true, false])
      expect((await callOf(finance, given).reassign({ dry_run })).status).toBe(403)
  })
})

it('an affiliate who would refer themselves needs a review, and nothing is payable until then', async () => {
  const customer_ref = `${unique('self')}@example.com`
  const given = { ...(await ground(scene, {}, { customer_ref })), customer_ref }
  await earnOne(scene, given, 10_000)
  await scene.api.patch(`/affiliates/${given.to.id}`, { email: customer_ref })
  const body = await done(callOf(admin, given).reassign())
  expect(body).toMatchObject({ status: 'pending_review', entries: [{ status: 'pending' }, {}] })
  expect(body.review).toHaveLength(1)
  const ids = [given.referralId]
  await done(admin.call('reviewReferrals', { body: { ids, status: 'approved' } }))
  expect(await pay(scene, given.campaign.id)).toEqual({ [given.to.id]: 2000 })
  // Back to an affiliate who is not the customer: what was suspicious is gone, and so is the review.
  const other = await ground(scene, {}, { customer_ref: `${unique('self')}@example.com` })
  await scene.database.owner.query(`UPDATE referrals SET status = 'pending_review' WHERE id = $1`, [
    other.referralId,
  ])
  expect(await done(callOf(admin, other).reassign())).toMatchObject({ status: 'approved', review: [] })
})

it('a campaign that reviews every referral does so once', async () => {
  const given = await ground(scene, { reviewsReferrals: true })
  const { reassign } = callOf(admin, given)
  const review = ['the campaign reviews every referral']
  expect(await done(reassign())).toMatchObject({ status: 'pending_review', review })
  const ids = [given.referralId]
  await done(admin.call('reviewReferrals', { body: { ids, status: 'approved' } }))
  const back = await done(reassign({ affiliate_id: given.affiliate.id }))
  expect(back).toMatchObject({ status: 'approved', review: [] })
})
