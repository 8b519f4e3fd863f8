/** Protects the days of the overview: those of the account's time zone, whole and without gaps, whatever its clocks do. */
import { overviewPeriods } from '@tributary/contract/dashboard'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { localDay, manyZones } from '../../../testing/time-zone.ts'
import { countConversions } from '../../src/earning/overview/overview.store.ts'
import { findPeriod } from '../../src/earning/overview/period.store.ts'
import { updateAccount } from '../../src/programme/accounts/update-account.ts'
import { buildAccount, buildAffiliate, buildCampaign, buildReferral, type Place } from '../factories.ts'
import { useScene } from '../harness.ts'
import { Person } from './person.ts'

const scene = useScene()
const accountIn = new Map<string, Place>()
beforeAll(async () => {
  const { database } = scene
  for (const zone of manyZones) {
    const { id } = await buildAccount(database)
    await updateAccount(database.db, id, { time_zone: zone })
    const campaign = await buildCampaign(database, id)
    const affiliate = await buildAffiliate(database, id, campaign.id)
    accountIn.set(zone, { account_id: id, campaign_id: campaign.id, affiliate_id: affiliate.id })
  }
})
const placeIn = (zone: string) => accountIn.get(zone) as Place
const periodIn = (zone: string, days: (typeof overviewPeriods)[number], now: string) =>
  findPeriod(scene.database.db, placeIn(zone).account_id, days, now)

describe('a period', () => {
  const now = '2026-03-10T15:30:00.000Z'

  it('is whole days that end with today, compared with as many before, up to the same time of day', async () => {
    const period = await periodIn('UTC', 7, now)
    expect(period).toMatchObject({
      timeZone: 'UTC',
      from: '2026-03-04T00:00:00.000Z',
      to: now,
      before: { from: '2026-02-25T00:00:00.000Z', to: '2026-03-03T15:30:00.000Z' },
      stepDays: 1,
    })
    expect(period.steps).toHaveLength(7)
    expect(period.steps.at(-1)).toEqual({ day: '2026-03-10', from: '2026-03-10T00:00:00.000Z' })
  })

  it('of a year is 52 whole weeks', async () => {
    const { from, stepDays, steps } = await periodIn('UTC', 365, now)
    expect({ from, stepDays, steps: steps.length }).toEqual({
      from: '2025-03-12T00:00:00.000Z',
      stepDays: 7,
      steps: 52,
    })
    expect(steps[1]).toEqual({ day: '2025-03-19', from: '2025-03-19T00:00:00.000Z' })
  })

  it('at the first moment of a day has that day', async () => {
    expect((await periodIn('UTC', 7, '2026-03-10T00:00:00.000Z')).from).toBe('2026-03-04T00:00:00.000Z')
    expect((await periodIn('Europe/Berlin', 7, '2026-03-09T23:00:00.000Z')).steps.at(-1)?.day).toBe(
      '2026-03-10',
    )
  })

  it('with a clock change is compared up to the same local time', async () => {
    // On 29 March 2026 Berlin goes from 02:00 to 03:00: noon is 10:00 UTC after it, and 11:00 UTC before.
    const period = await periodIn('Europe/Berlin', 7, '2026-03-31T10:00:00.000Z')
    expect(period.before).toEqual({
      from: '2026-03-17T23:00:00.000Z',
      to: '2026-03-24T11:00:00.000Z',
      firstDay: '2026-03-18',
      lastDay: '2026-03-24',
      lastDayFrom: '2026-03-23T23:00:00.000Z',
    })
    expect(period.today).toBe('2026-03-31')
    expect(period.steps.map(({ from }) => from).slice(3, 6)).toEqual([
      '2026-03-27T23:00:00.000Z',
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ])
  })

  const moments = fc
    .integer({ min: Date.UTC(2016, 0, 1), max: Date.UTC(2029, 0, 1) })
    .map(ms => new Date(ms).toISOString())

  it('has every moment in exactly one step, and steps start with their local day', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...manyZones),
        fc.constantFrom(...overviewPeriods),
        moments,
        async (zone, days, to) => {
          const period = await periodIn(zone, days, to)
          const starts = period.steps.map(({ from }) => Date.parse(from))
          expect(starts[0]).toBe(Date.parse(period.from))
          expect(localDay(Date.parse(to), zone)).toBe(localDay(Date.parse(period.to), zone))
          for (const [index, { day }] of period.steps.entries()) {
            const start = starts[index] as number
            // Steps follow each other, so that a moment is in one of them and in no other.
            expect(start).toBeLessThan(starts[index + 1] ?? Date.parse(to) + 1)
            expect(localDay(start, zone)).toBe(day)
            expect(localDay(start - 1, zone) < day).toBe(true)
          }
          expect(new Set(period.steps.map(({ day }) => day)).size).toBe(Math.floor(days / period.stepDays))
          // The time before is as many days, and ends before the period starts.
          expect(Date.parse(period.before.to)).toBeLessThanOrEqual(starts[0] as number)
          const length = period.steps.length * period.stepDays
          const earlier = (day: string) =>
            new Date(Date.parse(day) - length * 86_400_000).toISOString().slice(0, 10)
          expect(localDay(Date.parse(period.before.from), zone)).toBe(earlier(period.steps[0]?.day as string))
        },
      ),
      { numRuns: 150 },
    )
  })
})

describe('a conversion near midnight', () => {
  /** When it happened, and the local day that it belongs to. */
  const cases: [zone: string, now: string, at: string, day: string][] = [
    ['Europe/Berlin', '2026-07-03T10:00:00Z', '2026-07-01T21:30:00Z', '2026-07-01'],
    ['Europe/Berlin', '2026-07-03T10:00:00Z', '2026-07-01T22:00:00Z', '2026-07-02'],
    ['America/New_York', '2026-07-03T20:00:00Z', '2026-07-02T03:30:00Z', '2026-07-01'],
    ['Asia/Kathmandu', '2026-07-03T20:00:00Z', '2026-07-01T18:14:59.999Z', '2026-07-01'],
    ['Asia/Kathmandu', '2026-07-03T20:00:00Z', '2026-07-01T18:15:00Z', '2026-07-02'],
    // 23:30 on the day of 23 hours, and on the day of 25.
    ['Europe/Berlin', '2026-03-31T10:00:00Z', '2026-03-29T21:30:00Z', '2026-03-29'],
    ['Europe/Berlin', '2026-03-31T10:00:00Z', '2026-03-28T22:30:00Z', '2026-03-28'],
    ['Europe/Berlin', '2026-10-27T10:00:00Z', '2026-10-25T22:30:00Z', '2026-10-25'],
    ['Europe/Berlin', '2026-10-27T10:00:00Z', '2026-10-24T22:30:00Z', '2026-10-25'],
    // Cairo skips the first hour of 24 April.
    ['Africa/Cairo', '2026-04-26T10:00:00Z', '2026-04-23T21:59:59.999Z', '2026-04-23'],
    ['Africa/Cairo', '2026-04-26T10:00:00Z', '2026-04-23T22:00:00Z', '2026-04-24'],
    // Havana has the first hour of 1 November twice.
    ['America/Havana', '2026-11-03T10:00:00Z', '2026-11-01T04:30:00Z', '2026-11-01'],
    ['America/Havana', '2026-11-03T10:00:00Z', '2026-11-01T05:30:00Z', '2026-11-01'],
    ['America/Havana', '2026-11-03T10:00:00Z', '2026-11-01T03:59:59.999Z', '2026-10-31'],
  ]

  it.each(cases)('in %s, seen at %s, of %s counts for %s', async (zone, now, at, day) => {
    const place = placeIn(zone)
    const period = await periodIn(zone, 7, now)
    const scope = { accountId: place.account_id, period }
    const count = async () => {
      const found = await countConversions(scene.database.db, scope)
      return new Map(found.map(row => [row.step === null ? null : period.steps[row.step]?.day, row.count]))
    }
    const before = await count()
    await buildReferral(scene.database, place, { occurred_at: at })
    const after = await count()
    expect((after.get(day) ?? 0) - (before.get(day) ?? 0)).toBe(1)
    expect([...after.values()].reduce((a, b) => a + b)).toBe(
      [...before.values()].reduce((a, b) => a + b, 0) + 1,
    )
  })
})

it('the page names the zone that its days are of, also right after it was changed', async () => {
  const place = placeIn('Asia/Kathmandu')
  const viewer = await Person.join(scene.app, place.account_id, 'viewer')
  const shown = async () => (await viewer.call('getOverview', { query: { days: 7 } })).body
  const before = await shown()
  expect(before).toMatchObject({ time_zone: 'Asia/Kathmandu' })
  expect(before.series.at(-1).day).toBe(localDay(Date.parse(before.to), 'Asia/Kathmandu'))
  expect(before.from).toMatch(/T18:15:00.000Z$/)
  await updateAccount(scene.database.db, place.account_id, { time_zone: 'America/New_York' })
  const after = await shown()
  expect(after).toMatchObject({ time_zone: 'America/New_York' })
  expect(after.series.at(-1).day).toBe(localDay(Date.parse(after.to), 'America/New_York'))
})
