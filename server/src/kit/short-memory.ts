/**
 * Remembers what was looked up for a moment, so that many who ask for the same thing at once cause one look-up. A look-up that
 * fails or finds nothing is not remembered.
 */
export class ShortMemory<T> {
  readonly #lifetimeMs: number
  readonly #most: number
  readonly #known = new Map<string, { value: T; until: number }>()

  constructor(lifetimeMs: number, most: number) {
    this.#lifetimeMs = lifetimeMs
    this.#most = most
  }

  async get(key: string, lookUp: () => Promise<T | undefined>): Promise<T | undefined> {
    const known = this.#known.get(key)
    if (known && performance.now() < known.until) return known.value
    this.#known.delete(key)
    const value = await lookUp()
    if (value === undefined) return undefined
    this.#known.set(key, { value, until: performance.now() + this.#lifetimeMs })
    // The oldest goes first: entries stand in the order in which they were looked up.
    if (this.#known.size > this.#most) this.#known.delete(this.#known.keys().next().value as string)
    return value
  }
}
