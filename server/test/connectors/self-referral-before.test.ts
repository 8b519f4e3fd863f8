/**
 * Protects merchants from affiliates who buy through their own link, whichever way the customer's email became known before the referral: by
 * a billing system, by an earlier report, or by the visitor. A report without the email must not make it forgotten.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { insertEmail } from '../../src/connectors/billing-facts.store.ts'
import { emailsKnownWith } from '../../src/connectors/known-emails.ts'
import { flagSelfReferrals } from '../../src/earning/conversions/flag-self-referrals.ts'
import { lookBack } from '../../src/earning/conversions/look-back.ts'
import { changeEmailKeeping } from '../../src/earning/customers/keep-emails.ts'
import { lockCustomer } from '../../src/earning/referrals/referral.store.ts'
import { emailHash } from '../../src/earning/tracking/record-lead.ts'
import { Person } from '../dashboard/person.ts'
import { buildAffiliate, unique } from '../factories.ts'
import { brokenInvariants, useOwnScene } from '../harness.ts'
import { whileHeld } from '../interleave.ts'
import { approvedAffiliate } from '../ledger/scene.ts'
import { type Billing, connectBilling, newCustomer, reviewOf, send, visitOf, work } from './scene.ts'
import * as stripe from './stripe-objects.ts'

const scene = useOwnScene()
const leadKey = () => scene.app.services.secrets.key('lead email')
const keepEmails = (keeps: boolean) => changeEmailKeeping(scene.database.db, scene.account.id, keeps)
beforeEach(() => keepEmails(false))
afterEach(async () => expect(await brokenInvariants(scene.database)).toEqual([]))

const suspected = [
  { status: 'pending_review', review: ['self-referral: the customer has the affiliate’s email address'] },
]
const clear = [{ status: 'approved', review: [] }]

const report = (body: object) => scene.api.post('/ingest/v1/conversions', body)
const tellStripe = async (billing: Billing, customer: string, email: string, at = stripe.START) => {
  await send(scene, billing, stripe.event('customer.updated', stripe.customer(customer, { email }), at))
  await work(scene)
}

/** A visitor who clicked the affiliate's link, and may leave an email. */
const visit = (token: string) => visitOf(scene, token)

describe('a conversion that the API reports without an email', () => {
  it('goes to review by what a billing system has said', async () => {
    const billing = await connectBilling(scene)
    const { campaign, affiliate } = billing
    const [own, other] = [newCustomer(), newCustomer()]
    await tellStripe(billing, own, affiliate.email.toUpperCase())
    // Of all emails that were the customer's, any counts.
    await tellStripe(billing, own, 'newer@example.com', stripe.START + stripe.DAY)
    await tellStripe(billing, other, 'other@example.com')
    for (const customer_ref of [own, other])
      await report({ campaign_id: campaign.id, customer_ref, token: affiliate.token })
    expect(await reviewOf(scene, own)).toEqual(suspected)
    expect(await reviewOf(scene, other)).toEqual(clear)
  })

  it('goes to review by what was reported before, where emails are kept', async () => {
    const { campaign, affiliate } = await connectBilling(scene)
    for (const keeps of [true, false]) {
      await keepEmails(keeps)
      const conversion = { campaign_id: campaign.id, customer_ref: newCustomer() }
      await report({ ...conversion, customer_email: affiliate.email })
      await report({ ...conversion, token: affiliate.token })
      expect(await reviewOf(scene, conversion.customer_ref)).toEqual(keeps ? suspected : clear)
    }
  })

  it.each([true, false])(
    'goes to review by what the visitor left, emails kept: %s',
    async (keeps: boolean) => {
      await keepEmails(keeps)
      const { campaign, affiliate } = await connectBilling(scene)
      const [own, other] = [await visit(affiliate.token), await visit(affiliate.token)]
      await own.leave(affiliate.email.toUpperCase())
      await other.leave('visitor@example.com')
      for (const { click_id } of [own, other])
        await report({ campaign_id: campaign.id, customer_ref: `customer of ${click_id}`, click_id })
      expect(await reviewOf(scene, `customer of ${own.click_id}`)).toEqual(suspected)
      expect(await reviewOf(scene, `customer of ${other.click_id}`)).toEqual(clear)
    },
  )
})

it('a conversion goes to review by what the visitor left with another click, before and after', async () => {
  const { campaign, affiliate } = await connectBilling(scene)
  for (const isBefore of [true, false]) {
    const own = await visit(affiliate.token)
    const click_id = await own.click()
    expect(click_id).not.toBe(own.click_id)
    const customer_ref = newCustomer()
    const convert = () => report({ campaign_id: campaign.id, customer_ref, click_id })
    if (!isBefore) await convert()
    await own.leave(affiliate.email)
    if (isBefore) await convert()
    expect([isBefore, await reviewOf(scene, customer_ref)]).toEqual([isBefore, suspected])
  }
})

it.each([true, false])(
  'a referral goes to review by an email that the visitor leaves after it, emails kept: %s',
  async (keeps: boolean) => {
    await keepEmails(keeps)
    const { campaign, affiliate } = await connectBilling(scene)
    const visits = [await visit(affiliate.token), await visit(affiliate.token), await visit(affiliate.token)]
    const customers = visits.map(({ click_id }) => `late customer of ${click_id}`)
    for (const [place, { click_id }] of visits.entries())
      await report({ campaign_id: campaign.id, customer_ref: customers[place], click_id })
    const [own, other] = visits
    await other?.leave('visitor@example.com')
    await own?.leave(affiliate.email.toUpperCase())
    const reviews = () => Promise.all(customers.map(customer => reviewOf(scene, customer)))
    expect(await reviews()).toEqual([suspected, clear, clear])
    // What a person has decided is not asked again.
    const [row] = await scene.database.owner
      .query('SELECT id FROM referrals WHERE account_id = $1 AND customer_ref = $2', [
        scene.account.id,
        customers[0],
      ])
      .then(({ rows }) => rows)
    const admin = await Person.join(scene.app, scene.account.id, 'admin')
    await admin.call('reviewReferrals', { body: { ids: [Number(row.id)], status: 'approved' } })
    await own?.leave(affiliate.email)
    expect(await reviews()).toEqual([[{ ...suspected[0], status: 'approved' }], clear, clear])
  },
)

it('an email that is left while its customer is being reported waits for the report', async () => {
  const { campaign, affiliate } = await connectBilling(scene)
  const { click_id, leave } = await visit(affiliate.token)
  const customer = newCustomer()
  await report({ campaign_id: campaign.id, customer_ref: customer, click_id })
  const { database, account } = scene
  await whileHeld(
    database,
    tx => lockCustomer(tx, account.id, customer),
    () => leave(affiliate.email),
    async () => expect(await reviewOf(scene, customer)).toEqual(clear),
  )
  expect(await reviewOf(scene, customer)).toEqual(suspected)
})

it('a conversion sees the email of an event that is processed at the same moment', async () => {
  const { campaign, affiliate, connector } = await connectBilling(scene)
  const customer_ref = newCustomer()
  const accountId = scene.account.id
  const hash = emailHash(leadKey(), accountId, affiliate.email).toString('hex')
  const occurredAt = new Date(stripe.START * 1000).toISOString()
  // The event has the customer's lock, and is not committed when the conversion is reported.
  await whileHeld(
    scene.database,
    async tx => {
      await insertEmail(
        tx,
        { accountId, connectorId: connector.id },
        { customer: customer_ref, hash, occurredAt },
      )
      await flagSelfReferrals(tx, accountId, customer_ref, email => email === affiliate.email)
    },
    () => report({ campaign_id: campaign.id, customer_ref, token: affiliate.token }),
  )
  expect(await reviewOf(scene, customer_ref)).toEqual(suspected)
})

it('a billing system’s conversion goes to review by what the visitor left', async () => {
  const billing = await connectBilling(scene)
  const { click_id, leave } = await visit(billing.affiliate.token)
  await leave(billing.affiliate.email)
  const customer = newCustomer()
  const created = Math.floor(Date.now() / 1000) + 1
  const session = stripe.session(unique('cs'), { customer, metadata: { click_id: `${click_id}` }, created })
  await send(scene, billing, stripe.event('checkout.session.completed', session, created))
  await work(scene)
  expect(await reviewOf(scene, customer)).toEqual(suspected)
})

describe('a conversion of a pending affiliate', () => {
  const approve = async ({ id }: { id: number }) => {
    await scene.api.patch(`/affiliates/${id}`, { status: 'approved' })
    await lookBack(scene.database.db, emailsKnownWith(leadKey()), 60_000)
  }
  const pendingOf = ({ campaign }: Billing) => buildAffiliate(scene.database, scene.account.id, campaign.id)

  it('goes to review on approval by what a billing system has said before', async () => {
    const billing = await connectBilling(scene)
    const pending = await pendingOf(billing)
    const customer_ref = newCustomer()
    await report({ campaign_id: billing.campaign.id, customer_ref, token: pending.token })
    // The affiliate changes their address to the customer's, which was known before.
    await tellStripe(billing, customer_ref, `new-${pending.email}`)
    await scene.api.patch(`/affiliates/${pending.id}`, { paypal_email: `new-${pending.email}` })
    await approve(pending)
    expect(await reviewOf(scene, customer_ref)).toEqual([
      {
        status: 'pending_review',
        review: ['self-referral: the customer has the affiliate’s PayPal address'],
      },
    ])
  })

  it('goes to review on approval although it was reported again without the email', async () => {
    const billing = await connectBilling(scene)
    const pending = await pendingOf(billing)
    const conversion = {
      ...{ campaign_id: billing.campaign.id, customer_ref: newCustomer(), token: pending.token },
    }
    await report({ ...conversion, customer_email: pending.email })
    await report(conversion)
    await approve(pending)
    expect(await reviewOf(scene, conversion.customer_ref)).toEqual(suspected)
  })

  it('goes to review although it is reported without the email after the approval', async () => {
    const billing = await connectBilling(scene)
    const pending = await pendingOf(billing)
    const conversion = {
      ...{ campaign_id: billing.campaign.id, customer_ref: newCustomer(), token: pending.token },
    }
    await report({ ...conversion, customer_email: pending.email })
    await scene.api.patch(`/affiliates/${pending.id}`, { status: 'approved' })
    await report(conversion)
    expect(await reviewOf(scene, conversion.customer_ref)).toEqual(suspected)
  })

  it('has one reason, the surest, whatever was reported first', async () => {
    const billing = await connectBilling(scene)
    for (const isPaypalFirst of [true, false]) {
      const pending = await pendingOf(billing)
      const paypal_email = `paypal-of-${pending.email}`
      await scene.api.patch(`/affiliates/${pending.id}`, { paypal_email })
      const conversion = {
        ...{ campaign_id: billing.campaign.id, customer_ref: newCustomer(), token: pending.token },
      }
      const emails = isPaypalFirst ? [paypal_email, pending.email] : [pending.email, paypal_email]
      for (const customer_email of emails) await report({ ...conversion, customer_email })
      await approve(pending)
      expect(await reviewOf(scene, conversion.customer_ref)).toEqual(suspected)
    }
  })
})

it('another affiliate whom a person credits is compared with what the visitor left', async () => {
  const { campaign, affiliate } = await connectBilling(scene)
  const [second, third] = [
    await approvedAffiliate(scene, campaign.id),
    await approvedAffiliate(scene, campaign.id),
  ]
  const { click_id, leave } = await visit(affiliate.token)
  await leave(second.email)
  const customer_ref = newCustomer()
  const { body } = await report({ campaign_id: campaign.id, customer_ref, click_id })
  expect(await reviewOf(scene, customer_ref)).toEqual(clear)
  const admin = await Person.join(scene.app, scene.account.id, 'admin')
  for (const [{ id: affiliate_id }, expected] of [
    [third, clear],
    [second, suspected],
  ] as const) {
    const change = { campaign_id: campaign.id, affiliate_id, dry_run: false, reason: 'Asked for it' }
    const { status } = await admin.call('reassignReferral', { id: body.referral.id, body: change })
    expect([status, await reviewOf(scene, customer_ref)]).toEqual([200, expected])
  }
})
