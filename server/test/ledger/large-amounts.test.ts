/**
 * Protects from amounts that no number carries (row 26): what is too much is refused by name before it is written, and what an
 * earlier version let in is shown, never a fault. Totals of an affiliate and a campaign stay within ±(2^53 − 1), also when two
 * entries come at once.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { reportMeasurement, sized } from '../../../testing/size.ts'
import { DEFAULT_LARGEST_MINOR, setLargestAmount } from '../../src/kit/largest-amount.ts'
import { adjustBalance } from '../../src/money/commissions/adjust-balance.ts'
import { TestClient } from '../client.ts'
import { Person } from '../dashboard/person.ts'
import { asAdmin } from '../delivery/admin.ts'
import { eventually } from '../delivery/scene.ts'
import { buildAccount, buildCommission, unique } from '../factories.ts'
import { brokenInvariants, type Scene, useOwnScene } from '../harness.ts'
import { create, markPaid, owed, preview, previewResults } from '../payouts/ground.ts'
import { PortalBrowser } from '../portal/affiliate.ts'
import {
  approvedAffiliate,
  convert,
  countRows,
  openCampaign,
  percent,
  refund,
  sell,
  useRate,
  type Won,
  winCustomer,
} from './scene.ts'

const scene = useOwnScene()
const MAX = Number.MAX_SAFE_INTEGER
const CAP = DEFAULT_LARGEST_MINOR
let seen = 0
let faults = 0
const counted = <T extends { status: number }>(answer: T): T => {
  seen++
  if (answer.status >= 500) faults++
  return answer
}
afterAll(() => {
  reportMeasurement({
    row: 26,
    what: `faults of ours in ${seen} answers about large amounts`,
    value: faults,
    bar: '0',
    holds: faults === 0,
  })
  expect(faults).toBe(0)
})

const saleOf = ({ customer_ref }: Pick<Won, 'customer_ref'>, amount_minor: number, currency = 'USD') => ({
  customer_ref,
  external_id: unique('sale'),
  amount_minor,
  currency,
})
const report = async (won: Won, amount: number, currency?: string) =>
  counted(await sell(scene.api, saleOf(won, amount, currency)))
const whole = { rewards: [percent(10_000)] }

describe('one amount: at most what the setting says, 10^12 by default', () => {
  it('a sale', async () => {
    const won = await winCustomer(scene, whole)
    expect((await report(won, CAP)).status).toBe(201)
    const over = saleOf(won, CAP + 1)
    const answer = counted(await sell(scene.api, over))
    expect([answer.status, answer.body.error]).toEqual([
      422,
      {
        code: 'validation_failed',
        message: `amount_minor must be at most ${CAP} minor units, not ${CAP + 1}.`,
      },
    ])
    expect(await countRows(scene, 'sales', 'external_id = $1', [over.external_id])).toBe(0)
    expect((await report(won, MAX)).status).toBe(422)
  })

  it('an unattributed sale, and one reported with its conversion', async () => {
    const won = await winCustomer(scene, whole)
    expect(counted(await sell(scene.api, saleOf({ customer_ref: unique('unknown') }, CAP + 1))).status).toBe(
      422,
    )
    const { customer_ref, ...sale } = saleOf({ customer_ref: unique('new') }, CAP + 1)
    const { campaign, affiliate } = won
    const body = { campaign_id: campaign.id, customer_ref, token: affiliate.token, sale }
    const answer = counted(await convert(scene.api, body))
    expect([answer.status, answer.body.error.message]).toEqual([422, expect.stringContaining('amount_minor')])
    expect(await countRows(scene, 'referrals', 'customer_ref = $1', [customer_ref])).toBe(0)
  })

  it('a sale that is known is answered as before, whatever the setting has become', async () => {
    const won = await winCustomer(scene, whole)
    const body = saleOf(won, CAP)
    expect((await sell(scene.api, body)).status).toBe(201)
    setLargestAmount(1000)
    try {
      expect((await sell(scene.api, body)).status).toBe(200)
      const back = { external_id: unique('r'), sale_external_id: body.external_id }
      expect((await refund(scene.api, { ...back, amount_minor: 1001 })).status).toBe(422)
      // What is left of it can still be refunded as a whole.
      expect((await refund(scene.api, back)).status).toBe(201)
    } finally {
      setLargestAmount(CAP)
    }
  })

  it('an adjustment, a fixed commission, a minimum payout', async () => {
    const won = await winCustomer(scene)
    const admin = await Person.join(scene.app, scene.account.id, 'admin')
    const body = {
      affiliate_id: won.affiliate.id,
      campaign_id: won.campaign.id,
      description: 'x',
      request_id: 'request',
    }
    for (const amount_minor of [CAP + 1, -CAP - 1, MAX, -MAX]) {
      const answer = counted(await admin.call('adjustBalance', { body: { ...body, amount_minor } }))
      expect([answer.status, answer.body.error.message]).toEqual([
        422,
        expect.stringMatching(/^amount_minor /),
      ])
    }
    const id = won.campaign.id
    for (const [change, field] of [
      [{ minimum_payout_minor: CAP + 1 }, 'minimum_payout_minor'],
      [{ rewards: { commission: `${CAP + 1} USD`, recurring_months: null } }, 'commission'],
    ] as const) {
      const answer = counted(await admin.call('updateCampaign', { id, body: change }))
      expect([answer.status, answer.body.error.message]).toEqual([422, expect.stringContaining(field)])
    }
    const edge = { minimum_payout_minor: CAP, rewards: { commission: `${CAP} USD`, recurring_months: null } }
    expect(counted(await admin.call('updateCampaign', { id, body: edge })).status).toBe(200)
  })

  it('what a rate of exchange makes of it: exponents 0, 2, 3 and 4', async () => {
    await useRate(scene, 'JPY', 'KWD', '999999')
    await useRate(scene, 'KWD', 'JPY', '490.5')
    await useRate(scene, 'CLF', 'JPY', '0.0001')
    const dinars = await winCustomer(scene, { ...whole, payout_currency: 'KWD' })
    const answer = await report(dinars, CAP, 'JPY')
    expect([answer.status, answer.body.error.message]).toEqual([422, expect.stringContaining('amount_minor')])
    const yen = await winCustomer(scene, { ...whole, payout_currency: 'JPY' })
    expect((await report(yen, CAP, 'KWD')).status).toBe(201)
    expect((await report(yen, CAP, 'CLF')).status).toBe(201)
  })
})

describe('a total', () => {
  beforeAll(() => setLargestAmount(MAX))
  afterAll(() => setLargestAmount(CAP))

  it('of an affiliate: exactly 2^53 − 1 is taken, and not one more, however small', async () => {
    const won = await winCustomer(scene, whole)
    expect((await report(won, MAX - 5)).status).toBe(201)
    const over = await report(won, 6)
    expect([over.status, over.body.error.message]).toEqual([
      422,
      'amount_minor is too large: the total of the affiliate would exceed 2^53 − 1.',
    ])
    expect((await report(won, 5)).status).toBe(201)
    expect((await report(won, 1)).status).toBe(422)
    const taken = { affiliateId: won.affiliate.id, campaignId: won.campaign.id, description: 'x' }
    await adjustBalance(scene.database.db, scene.account.id, { ...taken, amountMinor: -1 })
    expect((await report(won, 1)).status).toBe(201)
  })

  it('of a campaign, made of several affiliates', async () => {
    const won = await winCustomer(scene, whole)
    expect((await report(won, MAX - 5)).status).toBe(201)
    const second = await approvedAffiliate(scene, won.campaign.id)
    const customer_ref = unique('customer')
    await convert(scene.api, { campaign_id: won.campaign.id, customer_ref, token: second.token })
    const answer = counted(await sell(scene.api, saleOf({ customer_ref }, 6)))
    expect([answer.status, answer.body.error.message]).toEqual([422, expect.stringContaining('campaign')])
    expect(counted(await sell(scene.api, saleOf({ customer_ref }, 5))).status).toBe(201)
  })

  it('below zero', async () => {
    const won = await winCustomer(scene)
    const adjust = (amountMinor: number) =>
      adjustBalance(scene.database.db, scene.account.id, {
        affiliateId: won.affiliate.id,
        campaignId: won.campaign.id,
        amountMinor,
        description: 'x',
      })
    await adjust(-MAX)
    await expect(adjust(-1)).rejects.toMatchObject({ code: 'validation_failed' })
    await adjust(1)
  })

  it('of two large entries at once: the second waits, and sees the first', async () => {
    const won = await winCustomer(scene, whole)
    const first = await scene.database.owner.connect()
    try {
      await first.query('BEGIN')
      await first.query(`SELECT pg_advisory_xact_lock(hashtextextended('totals of an account', $1))`, [
        scene.account.id,
      ])
      await first.query(
        `INSERT INTO commissions (account_id, campaign_id, affiliate_id, entry_type, beneficiary, amount_minor, currency,
           payout_amount_minor, payout_currency, status)
         VALUES ($1, $2, $3, 'earned', 'affiliate', $4, 'USD', $4, 'USD', 'approved')`,
        [scene.account.id, won.campaign.id, won.affiliate.id, MAX - 10],
      )
      const selling = report(won, 2 ** 50)
      await eventually(async () =>
        expect(
          await asAdmin(`SELECT 1 FROM pg_stat_activity WHERE datname = $1 AND wait_event = 'advisory'`, [
            scene.database.service.database,
          ]),
        ).toHaveLength(1),
      )
      await first.query('COMMIT')
      expect((await selling).status).toBe(422)
    } finally {
      first.release()
    }
  })

  it(`of ${sized(8, 64)} at once: exactly as many as fit`, async () => {
    const won = await winCustomer(scene, whole)
    const count = sized(8, 64)
    const answers = await Promise.all(
      Array.from({ length: count }, () => report(won, Math.floor(MAX / (count / 2)))),
    )
    const taken = answers.filter(({ status }) => status === 201).length
    expect(taken).toBe(count / 2)
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(count - taken)
  })
})

describe('what an earlier version let in', () => {
  const there = {} as Scene & { large: number; small: number }
  let admin: Person
  let jane: PortalBrowser
  beforeAll(async () => {
    const account = await buildAccount(scene.database)
    Object.assign(there, scene, { account, api: new TestClient(scene.app.url, account.key) })
    const won = await winCustomer(there, { ...whole, name: 'Vast' })
    const small = await owed(there, won.campaign, [500])
    Object.assign(there, { large: won.affiliate.id, small: small.id })
    const place = { account_id: account.id, campaign_id: won.campaign.id, affiliate_id: won.affiliate.id }
    there.place = place
    // Beyond 2^63 too, where a bigint ends.
    const times = 1100
    await scene.database.owner.query(
      `INSERT INTO sales (account_id, external_id, customer_ref, referral_id, amount_minor, currency, occurred_at)
       SELECT $1, 'vast-' || n, $2, $3, $4, 'USD', now() FROM generate_series(1, ${times}) n`,
      [account.id, won.customer_ref, won.referralId, MAX],
    )
    await scene.database.owner.query(
      `INSERT INTO commissions (account_id, campaign_id, affiliate_id, referral_id, sale_id, entry_type, beneficiary, amount_minor,
         currency, payout_amount_minor, payout_currency, status, hold_until)
       SELECT $1, $2, $3, $4, s.id, 'earned', 'affiliate', $5, 'USD', $5, 'USD',
              CASE s.id % 2 WHEN 0 THEN 'approved' ELSE 'pending' END, CASE s.id % 2 WHEN 1 THEN now() + interval '9 days' END
         FROM sales s WHERE s.account_id = $1`,
      [account.id, won.campaign.id, won.affiliate.id, won.referralId, MAX],
    )
    await buildCommission(scene.database, place, {
      entry_type: 'credit',
      amount_minor: MAX,
      status: 'approved',
    })
    await buildCommission(scene.database, place, {
      entry_type: 'credit',
      amount_minor: MAX,
      status: 'approved',
    })
    admin = await Person.join(scene.app, account.id, 'admin')
    jane = await PortalBrowser.signIn(there, won.affiliate.id)
  })

  const exact = 1100 * MAX
  it.each([
    'getOverview',
    'listAffiliates',
    'exportAffiliates',
    'listCampaigns',
    'exportCampaigns',
    'listReferrals',
    'exportReferrals',
    'listCommissions',
    'exportCommissions',
    'listPayouts',
  ] as const)('the dashboard’s %s answers', async route => {
    const query = route === 'getOverview' ? { from: '2020-01-01', to: '2090-01-01' } : {}
    const answer = counted(await admin.call(route, { query }))
    expect([route, answer.status < 500]).toEqual([route, true])
    if (route === 'getOverview') expect(counted(await admin.call(route)).status).toBe(200)
  })

  it('an affiliate, a campaign and a referral are shown, as near as a number can be', async () => {
    const { body, status } = counted(await admin.call('getAffiliate', { id: there.large }))
    expect(status).toBe(200)
    expect(body.balances).toEqual([
      expect.objectContaining({ currency: 'USD', balance_minor: exact, credit_minor: 2 * MAX }),
    ])
    expect(counted(await admin.call('getCampaign', { id: there.place.campaign_id })).status).toBe(200)
    const statement = counted(await admin.call('downloadStatement', { id: there.large }))
    expect(statement.status).toBe(200)
    expect(statement.text.split('\r\n')).toHaveLength(1104)
  })

  it.each(['getHome', 'listReferrals', 'listCommissions', 'listPayouts', 'downloadStatement'] as const)(
    'the portal’s %s answers',
    async route => expect(counted(await jane.call(route, {})).status).toBe(200),
  )

  it('the statement is printed', async () => {
    const { id } = await owed(there, { id: there.place.campaign_id } as never, [])
    for (let n = 0; n < 3; n++)
      await buildCommission(scene.database, { ...there.place, affiliate_id: id }, { amount_minor: MAX })
    const john = await PortalBrowser.signIn(there, id)
    expect(counted(await john.call('printStatement', {})).status).toBe(200)
  })

  it('a payout excludes affiliates whose total is out of range, with the reason, and pays the others', async () => {
    const campaign = { id: there.place.campaign_id }
    const shown = await preview(there, campaign)
    expect(previewResults(shown)).toEqual([
      [there.large, 550 * MAX, 'out_of_range'],
      [there.small, 500, null],
      [expect.any(Number), 0, 'on_hold'],
    ])
    expect(shown).toMatchObject({ items: 1, total_minor: 500, excluded: { out_of_range: 1, on_hold: 1 } })
    const query = { campaign_id: campaign.id, rail: 'manual' }
    const page = counted(await admin.call('previewPayout', { query }))
    expect([page.status, page.body.excluded]).toEqual([200, { out_of_range: 1, on_hold: 1 }])
    const file = counted(await admin.call('exportPreview', { query }))
    expect([file.status, file.text]).toEqual([200, expect.stringContaining('out_of_range')])
    const made = await create(there, campaign, { digest: page.body.digest })
    expect(made).toMatchObject({ items: 1, total_minor: 500 })
    await markPaid(there, made.id)
    expect(counted(await there.api.get(`/payouts/${made.id}`)).body.status).toBe('paid')
  })

  it('a batch that is too much as a whole takes as many as fit, and the rest is in the next one', async () => {
    const campaign = await openCampaign(scene.database, there.account.id)
    const people = [
      await owed(there, campaign, []),
      await owed(there, campaign, []),
      await owed(there, campaign, []),
    ]
    for (const { id } of people)
      await buildCommission(
        scene.database,
        { ...there.place, campaign_id: campaign.id, affiliate_id: id },
        { amount_minor: 4_000_000_000_000_000, status: 'approved' },
      )
    expect(previewResults(await preview(there, campaign)).map(([, , reason]) => reason)).toEqual([
      null,
      null,
      'out_of_range',
    ])
    const { id } = await create(there, campaign)
    await markPaid(there, id)
    expect(await create(there, campaign)).toMatchObject({ items: 1, total_minor: 4_000_000_000_000_000 })
  })

  it('the doctor reads it', async () => {
    const problems = await brokenInvariants(scene.database)
    expect(problems.filter(problem => !/has no event/.test(problem))).toEqual([])
  })

  it('metrics are written', async () => {
    expect(counted(await fetch(`${scene.app.url}/metrics`)).status).toBe(200)
  })
})
