/** Mulberry32: small, and the same on every machine. */
function mulberry(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** Choices that a seed repeats. */
export class Chance {
  readonly #next: () => number

  constructor(seed: number) {
    this.#next = mulberry(seed)
  }

  /** Whether something happens that does so this often. */
  is = (likelihood: number): boolean => this.#next() < likelihood
  below = (limit: number): number => Math.floor(this.#next() * limit)
  pick = <T>(list: readonly T[]): T | undefined => list[this.below(list.length)]
  /** At least one of them, unless there is none. */
  some = <T>(list: readonly T[]): T[] => {
    const sure = this.pick(list)
    return list.filter(one => one === sure || this.is(0.5))
  }
}
