/** Protects every report: a day starts with its first moment, in any zone, however its clocks are changed. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { localDay, manyZones } from '../../testing/time-zone.ts'
import { sql } from '../src/db/sql.ts'
import { useScene } from './harness.ts'

const scene = useScene()

const dayStart = async (day: string, zone: string) =>
  ((await scene.database.db.first(sql`SELECT day_start(${day}::date, ${zone}) AS at`)) as { at: string }).at

it.each([
  ['2026-07-01', 'UTC', '2026-07-01T00:00:00.000Z'],
  ['2026-07-01', 'Europe/Berlin', '2026-06-30T22:00:00.000Z'],
  ['2026-07-01', 'Asia/Kathmandu', '2026-06-30T18:15:00.000Z'],
  // Clocks go from 00:00 to 01:00: midnight is skipped, and the day starts at the skip.
  ['2026-04-24', 'Africa/Cairo', '2026-04-23T22:00:00.000Z'],
  ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
  // Clocks go from 24:00 back to 23:00: the day before has 25 hours.
  ['2026-10-30', 'Africa/Cairo', '2026-10-29T22:00:00.000Z'],
  ['2018-02-18', 'America/Sao_Paulo', '2018-02-18T03:00:00.000Z'],
  // Clocks go from 01:00 back to 00:00: midnight comes twice, and the day starts with the first one.
  ['2026-11-01', 'America/Havana', '2026-11-01T04:00:00.000Z'],
  ['2026-11-02', 'America/Havana', '2026-11-02T05:00:00.000Z'],
  // Half an hour at 02:00.
  ['2026-04-05', 'Australia/Lord_Howe', '2026-04-04T13:00:00.000Z'],
  ['2026-04-06', 'Australia/Lord_Howe', '2026-04-05T13:30:00.000Z'],
  // A day that Samoa never had has no length.
  ['2011-12-29', 'Pacific/Apia', '2011-12-29T10:00:00.000Z'],
  ['2011-12-30', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
  ['2011-12-31', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
])('%s in %s starts at %s', async (day, zone, at) => {
  expect(await dayStart(day, zone)).toBe(at)
})

it('does not depend on the zone of the session', async () => {
  await scene.database.db.transaction(async tx => {
    const at = sql`SELECT day_start('2026-11-01'::date, 'America/Havana') AS at`
    await tx.many(sql`SELECT set_config('TimeZone', 'America/Havana', true)`)
    expect(await tx.first(at)).toEqual({ at: '2026-11-01T04:00:00.000Z' })
  })
})

it('is the first moment whose local date is that day, by the zone data of Node.js too', async () => {
  const days = fc.integer({ min: Date.UTC(2015, 0, 1) / 86_400_000, max: Date.UTC(2030, 0, 1) / 86_400_000 })
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...manyZones), days, async (zone, number) => {
      const day = new Date(number * 86_400_000).toISOString().slice(0, 10)
      const at = Date.parse(await dayStart(day, zone))
      expect(localDay(at, zone)).toBe(day)
      expect(localDay(at - 1, zone) < day).toBe(true)
    }),
    { numRuns: 300 },
  )
})
