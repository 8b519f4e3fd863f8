/** Remembers what follows from a name alone. When it has too many it begins anew: what is in use is soon back. */
export class Memo<T> {
  readonly #most: number
  readonly #known = new Map<string, T>()

  constructor(most: number) {
    this.#most = most
  }

  /** What cannot be made is not remembered. */
  get(name: string, make: () => T): T {
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const made = make()
    if (this.#known.size >= this.#most) this.#known.clear()
    this.#known.set(name, made)
    return made
  }
}
