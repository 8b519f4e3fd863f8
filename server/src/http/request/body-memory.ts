const MIB = 1024 * 1024

/** Bounds the memory of request bodies while they are received and parsed, in total and per caller. */
export class BodyMemory {
  readonly #most: number
  readonly #mostOfOne: number
  readonly #held = new Map<string, number>()
  #heldByAll = 0

  constructor(most: number, mostOfOne: number) {
    this.#most = most
    this.#mostOfOne = mostOfOne
  }

  /** Reserves memory; false if there is not enough left. */
  take(caller: string, bytes: number): boolean {
    const held = (this.#held.get(caller) ?? 0) + bytes
    if (held > this.#mostOfOne || this.#heldByAll + bytes > this.#most) return false
    this.#held.set(caller, held)
    this.#heldByAll += bytes
    return true
  }

  give(caller: string, bytes: number): void {
    const held = (this.#held.get(caller) ?? 0) - bytes
    if (held > 0) this.#held.set(caller, held)
    else this.#held.delete(caller)
    this.#heldByAll -= bytes
  }
}

/** Separate budgets, so that anonymous callers cannot starve authenticated ones, nor uploads other requests. */
export const anonymousBodies = new BodyMemory(16 * MIB, 4 * MIB)
export const admittedBodies = new BodyMemory(48 * MIB, 16 * MIB)
export const uploads = new BodyMemory(32 * MIB, 8 * MIB)
