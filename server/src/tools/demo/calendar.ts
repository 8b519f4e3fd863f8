import { DAY_MS } from '../../kit/timestamp.ts'
import type { Random } from './random.ts'

/** The sample data covers a year that ends now. */
export const STORY_DAYS = 365
export const TODAY = STORY_DAYS - 1

/** The year of the sample data: day 0 is the first, the last is today up to now. */
export class Calendar {
  readonly #begin: number
  readonly #now: number

  constructor(now: string) {
    this.#now = Date.parse(now)
    this.#begin = Math.floor(this.#now / DAY_MS) * DAY_MS - TODAY * DAY_MS
  }

  /** A time on a day, as a fraction of it. Today ends now, so that nothing is in the future. */
  at(day: number, part: number): string {
    const begin = this.#begin + day * DAY_MS
    const end = Math.min(begin + DAY_MS, this.#now)
    return new Date(begin + Math.floor(part * Math.max(0, end - begin - 1))).toISOString()
  }

  /** The day of a time. */
  dayOf(time: string): number {
    return Math.floor((Date.parse(time) - this.#begin) / DAY_MS)
  }

  /** A number of days later; undefined if that is in the future. Compares days, not hours, so that the data is the same all day long. */
  after(time: string, days: number): string | undefined {
    const later = Date.parse(time) + days * DAY_MS
    const day = this.dayOf(new Date(later).toISOString())
    return day > TODAY ? undefined : this.at(day, ((later - this.#begin) % DAY_MS) / DAY_MS)
  }

  /** The activity of a day: grows over the year and drops at weekends. */
  readonly busyness = (day: number): number => {
    const weekday = new Date(this.#begin + day * DAY_MS).getUTCDay()
    const isWeekend = weekday === 0 || weekday === 6
    return (0.45 + (1.1 * day) / STORY_DAYS) * (isWeekend ? 0.55 : 1)
  }
}

export const daysFrom = (first: number, last: number = TODAY): number[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)

/** A time of day, most likely around noon. */
export const partOfDay = (random: Random) => (random.next() + random.next() + random.next()) / 3
