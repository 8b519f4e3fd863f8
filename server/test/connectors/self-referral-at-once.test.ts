/**
 * Protects merchants from affiliates who buy through their own link: an email that the visitor leaves while a referral of the same click is made
 * is seen by one of the two, whichever commits first.
 */
import { expect, it } from 'vitest'
import { emailsKnownWith } from '../../src/connectors/known-emails.ts'
import type { Db } from '../../src/db/database.ts'
import { creditManually } from '../../src/earning/conversions/credit-manually.ts'
import { reportConversion } from '../../src/earning/conversions/report-conversion.ts'
import { reportLead } from '../../src/earning/conversions/report-lead.ts'
import { shareLockClicks } from '../../src/earning/tracking/lead.store.ts'
import { useOwnScene } from '../harness.ts'
import { whileHeld } from '../interleave.ts'
import { type Billing, connectBilling, newCustomer, reviewOf, visitOf } from './scene.ts'

const scene = useOwnScene()
const leadKey = () => scene.app.services.secrets.key('lead email')
const suspected = [
  { status: 'pending_review', review: ['self-referral: the customer has the affiliate’s email address'] },
]

type Visit = Awaited<ReturnType<typeof visitOf>>
type Act = (db: Db) => Promise<unknown>

const leaves =
  ({ account, visitor_id, click_id }: Visit, email: string): Act =>
  db =>
    reportLead({ db, leadKey: leadKey() }, { account, visitor_id, click_id, email })

const converts =
  ({ click_id }: Visit, { campaign }: Billing, customer_ref: string): Act =>
  db =>
    reportConversion(
      db,
      scene.account.id,
      { campaign_id: campaign.id, customer_ref, click_id: `${click_id}` },
      { knownEmails: emailsKnownWith(leadKey()) },
    )

/** A person credits the affiliate for a conversion whose click was too old. */
async function isCredited(
  { click_id }: Visit,
  { campaign, affiliate }: Billing,
  customer_ref: string,
): Promise<Act> {
  const { id: accountId } = scene.account
  const { owner } = scene.database
  await owner.query(`UPDATE clicks SET created_at = now() - interval '200 days' WHERE id = $1`, [click_id])
  await scene.api.post('/ingest/v1/conversions', { campaign_id: campaign.id, customer_ref, click_id })
  const { rows } = await owner.query(
    'SELECT id::integer FROM conversions WHERE account_id = $1 AND customer_ref = $2 AND referral_id IS NULL',
    [accountId, customer_ref],
  )
  const credit = {
    conversion_id: rows[0].id as number,
    campaign_id: campaign.id,
    affiliate_id: affiliate.id,
    dry_run: false,
    reason: 'Asked for it',
  }
  return db => creditManually(db, accountId, credit, emailsKnownWith(leadKey()))
}

const referrals = { conversion: converts, 'manual credit': isCredited }

it.each([
  ['conversion', 'first'],
  ['conversion', 'second'],
  ['manual credit', 'first'],
  ['manual credit', 'second'],
] as const)('a %s that is %s, with the lead of its click open, goes to review', async (kind, place) => {
  const billing = await connectBilling(scene)
  const visit = await visitOf(scene, billing.affiliate.token)
  const customer = newCustomer()
  const refers = await referrals[kind](visit, billing, customer)
  const leads = leaves(visit, billing.affiliate.email)
  const [first, second] = place === 'first' ? [refers, leads] : [leads, refers]
  await whileHeld(scene.database, first, () => second(scene.database.db))
  expect(await reviewOf(scene, customer)).toEqual(suspected)
})

it('leads and conversions of one click that all arrive at once end, and every referral goes to review', async () => {
  const billing = await connectBilling(scene)
  const visit = await visitOf(scene, billing.affiliate.token)
  const customers = Array.from({ length: 8 }, newCustomer)
  const { db } = scene.database
  await Promise.all(
    customers.flatMap(customer => [
      converts(visit, billing, customer)(db),
      leaves(visit, billing.affiliate.email)(db),
    ]),
  )
  for (const customer of customers) expect(await reviewOf(scene, customer)).toEqual(suspected)
})

it('a lead that names another visitor’s click is refused without waiting for its lock', async () => {
  const { affiliate } = await connectBilling(scene)
  const [visit, other] = [await visitOf(scene, affiliate.token), await visitOf(scene, affiliate.token)]
  const { db } = scene.database
  await db.transaction(async tx => {
    await shareLockClicks(tx, scene.account.id, [[visit.click_id]])
    const guessed = leaves({ ...visit, visitor_id: other.visitor_id }, affiliate.email)
    await expect(guessed(db)).rejects.toThrow('does not match a click of this visitor')
  })
})
