import { DAY_MS } from '../../kit/timestamp.ts'
import type { Random } from './random.ts'

/** The story takes a year that ends at this moment. */
export const STORY_DAYS = 365
export const TODAY = STORY_DAYS - 1

/** The year of the story: day 0 is its first, the last is today as far as it has come. */
export class Calendar {
  readonly #begin: number
  readonly #now: number

  constructor(now: string) {
    this.#now = Date.parse(now)
    this.#begin = Math.floor(this.#now / DAY_MS) * DAY_MS - TODAY * DAY_MS
  }

  /** A time of a day; `part` of it has passed. Today ends now, so that nothing lies in the future. */
  at(day: number, part: number): string {
    const begin = this.#begin + day * DAY_MS
    const end = Math.min(begin + DAY_MS, this.#now)
    return new Date(begin + Math.floor(part * Math.max(0, end - begin - 1))).toISOString()
  }

  /** The day that a time belongs to. */
  dayOf(time: string): number {
    return Math.floor((Date.parse(time) - this.#begin) / DAY_MS)
  }

  /** So many days later; undefined once that is tomorrow. Days decide and not hours: the story is the same all day long. */
  after(time: string, days: number): string | undefined {
    const later = Date.parse(time) + days * DAY_MS
    const day = this.dayOf(new Date(later).toISOString())
    return day > TODAY ? undefined : this.at(day, ((later - this.#begin) % DAY_MS) / DAY_MS)
  }

  /** How busy a day is: business grows over the year and rests at weekends. */
  readonly busyness = (day: number): number => {
    const weekday = new Date(this.#begin + day * DAY_MS).getUTCDay()
    const isWeekend = weekday === 0 || weekday === 6
    return (0.45 + (1.1 * day) / STORY_DAYS) * (isWeekend ? 0.55 : 1)
  }
}

export const daysFrom = (first: number, last: number = TODAY): number[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)

/** When people are awake, more or less: most of it happens in the middle of the day. */
export const partOfDay = (random: Random) => (random.next() + random.next() + random.next()) / 3
