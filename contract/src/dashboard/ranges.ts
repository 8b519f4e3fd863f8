/** Ranges of days with a name, shortest first. Without schemas, as the pages import it too. */
export const presets = [
  'today',
  'yesterday',
  'last7',
  'last30',
  'month',
  'lastMonth',
  'quarter',
  'year',
  'last365',
] as const
export type Preset = (typeof presets)[number]

export interface DayRange {
  from: string
  to: string
}

const DAY_MS = 86_400_000

/** Days are plain dates of the account's calendar, so they are computed in UTC, where each has 24 hours. */
export const plusDays = (day: string, days: number) =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)

const monthStart = (day: string) => `${day.slice(0, 7)}-01`

function quarterStart(day: string): string {
  const first = Math.floor((Number(day.slice(5, 7)) - 1) / 3) * 3 + 1
  return `${day.slice(0, 4)}-${String(first).padStart(2, '0')}-01`
}

/** The range of a preset, as of the account's current day. */
export function rangeOf(preset: Preset, today: string): DayRange {
  const lastOfBefore = plusDays(monthStart(today), -1)
  const ranges: Record<Preset, DayRange> = {
    today: { from: today, to: today },
    yesterday: { from: plusDays(today, -1), to: plusDays(today, -1) },
    last7: { from: plusDays(today, -6), to: today },
    last30: { from: plusDays(today, -29), to: today },
    month: { from: monthStart(today), to: today },
    lastMonth: { from: monthStart(lastOfBefore), to: lastOfBefore },
    quarter: { from: quarterStart(today), to: today },
    year: { from: `${today.slice(0, 4)}-01-01`, to: today },
    last365: { from: plusDays(today, -364), to: today },
  }
  return ranges[preset]
}

/** The preset that a range is, if it is one. On the first of a month several are the same; the shortest is named first. */
export const presetOf = (range: DayRange, today: string): Preset | undefined =>
  presets.find(preset => {
    const { from, to } = rangeOf(preset, today)
    return from === range.from && to === range.to
  })
