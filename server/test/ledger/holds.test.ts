/** Protects the merchant (row 21): no commission is released before its hold has passed, whatever clocks and calendars do. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { reportMeasurement } from '../../../testing/size.ts'
import { reviewReferral } from '../../src/earning/referrals/review-referral.ts'
import { releaseHolds } from '../../src/money/ledger/holds.ts'
import { useOwnScene } from '../harness.ts'
import {
  approvedAffiliate,
  buildClick,
  commission,
  convert,
  earnOne,
  openCampaign,
  winCustomer,
} from './scene.ts'

const scene = useOwnScene()
const DAY_MS = 24 * 60 * 60 * 1000
afterEach(() => vi.useRealTimers())

/** Moves the clock of this process, not the database's, and nothing but the date: connections go on as they are. */
const stepClock = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
const databaseNow = async () =>
  Number((await scene.database.owner.query('SELECT extract(epoch FROM now()) * 1000 AS ms')).rows[0].ms)
const ago = async (ms: number) => new Date((await databaseNow()) - ms).toISOString()
const statusOf = async (id: number) => (await commission(scene, id)).status

describe('hold_until is the time of the sale and so many times 24 hours', () => {
  it.each([
    ['over the end of February', 30, '2026-01-31T12:00:00.000Z', '2026-03-02T12:00:00.000Z'],
    ['over a leap day', 1, '2028-02-28T23:59:59.999Z', '2028-02-29T23:59:59.999Z'],
    ['over the year’s end', 1, '2025-12-31T23:59:59.999Z', '2026-01-01T23:59:59.999Z'],
    ['into summer time', 1, '2026-03-28T01:30:00.000+01:00', '2026-03-29T00:30:00.000Z'],
    ['out of summer time', 1, '2026-10-25T00:30:00.000+02:00', '2026-10-25T22:30:00.000Z'],
    ['over ten years', 3650, '2020-01-01T00:00:00.000Z', '2029-12-29T00:00:00.000Z'],
  ])('%s', async (_what, hold_days, occurred_at, expected) => {
    const { entry } = await earnOne(scene, await winCustomer(scene, { hold_days }), 10_000, { occurred_at })
    expect([entry.status, entry.hold_until]).toEqual(['pending', expected])
    expect(Date.parse(expected) - Date.parse(occurred_at)).toBe(hold_days * DAY_MS)
  })

  it('none where there is no hold: approved at once', async () => {
    const { entry } = await earnOne(scene, await winCustomer(scene))
    expect([entry.status, entry.hold_until]).toEqual(['approved', null])
  })
})

describe('a hold is released', () => {
  it('when it is due and not before', async () => {
    const won = await winCustomer(scene, { hold_days: 1 })
    const due = await earnOne(scene, won, 1000, { occurred_at: await ago(DAY_MS) })
    const soon = await earnOne(scene, won, 1000, { occurred_at: await ago(DAY_MS - 60_000) })
    await releaseHolds(scene.database.db)
    expect([await statusOf(due.entry.id), await statusOf(soon.entry.id)]).toEqual(['approved', 'pending'])
  })

  it('only of an approved referral', async () => {
    const won = await winCustomer(scene, { hold_days: 1, reviewsReferrals: true })
    const { entry } = await earnOne(scene, won, 1000, { occurred_at: await ago(2 * DAY_MS) })
    await releaseHolds(scene.database.db)
    expect(await statusOf(entry.id)).toBe('pending')
    await reviewReferral(scene.database.db, scene.account.id, won.referralId, 'approved')
    expect(await statusOf(entry.id)).toBe('approved')
  })

  it('once, by however many processes at the same time', async () => {
    const won = await winCustomer(scene, { hold_days: 1 })
    await releaseHolds(scene.database.db)
    const occurred_at = await ago(2 * DAY_MS)
    for (let count = 0; count < 5; count++) await earnOne(scene, won, 1000, { occurred_at })
    const released = await Promise.all([1, 2, 3, 4].map(() => releaseHolds(scene.database.db)))
    expect(released.reduce((sum, count) => sum + count, 0)).toBe(5)
  })

  it('by the clock of the database, wherever the process’s clock has stepped', async () => {
    const won = await winCustomer(scene, { hold_days: 1 })
    const { entry } = await earnOne(scene, won, 1000, { occurred_at: await ago(DAY_MS - 60_000) })
    const statuses: string[] = []
    for (const step of [60 * 60_000, -60 * 60_000, 365 * DAY_MS]) {
      stepClock(step)
      await releaseHolds(scene.database.db)
      vi.useRealTimers()
      statuses.push(await statusOf(entry.id))
    }
    const early = statuses.filter(status => status !== 'pending').length
    const what = `holds released early by ${statuses.length} steps of the clock`
    reportMeasurement({ row: 21, what, value: early, bar: '0', holds: early === 0 })
    expect(early).toBe(0)
  })
})

describe('where the report names no time, it is the database’s', () => {
  it.each([-60 * 60_000, 60 * 60_000])(
    'the process’s clock is off by %i ms: the hold is its full length',
    async step => {
      const won = await winCustomer(scene, { hold_days: 1 })
      const before = await databaseNow()
      stepClock(step)
      const { entry } = await earnOne(scene, won)
      vi.useRealTimers()
      const after = await databaseNow()
      const until = Date.parse(entry.hold_until as string)
      expect(until).toBeGreaterThanOrEqual(Math.floor(before) + DAY_MS)
      expect(until).toBeLessThanOrEqual(Math.ceil(after) + DAY_MS)
    },
  )

  it('a click just made counts although the process’s clock is behind', async () => {
    const campaign = await openCampaign(scene.database, scene.account.id)
    const affiliate = await approvedAffiliate(scene, campaign.id)
    const click_id = await buildClick(scene, {
      campaignId: campaign.id,
      affiliateId: affiliate.id,
      ago: '0 s',
    })
    stepClock(-60_000)
    const { body } = await convert(scene.api, { campaign_id: campaign.id, customer_ref: 'behind', click_id })
    vi.useRealTimers()
    expect(body.referral?.affiliate_id).toBe(affiliate.id)
  })
})
