const MIB = 1024 * 1024
/** A form, or nearly every event of a billing provider. */
export const SMALL_BODY_BYTES = 32 * 1024

/**
 * Bounds the memory of request bodies while they are received and parsed, in total and per caller. Bodies that have grown larger than
 * small ones leave a reserve to these.
 */
export class BodyMemory {
  readonly #most: number
  readonly #mostOfOne: number
  readonly #reserve: number
  readonly #held = new Map<string, number>()
  #heldByAll = 0

  constructor(most: number, mostOfOne: number, reserve = 0) {
    this.#most = most
    this.#mostOfOne = mostOfOne
    this.#reserve = reserve
  }

  /** Reserves more memory for a body that will then hold `size`; false if there is not enough left. */
  take(caller: string, bytes: number, size = bytes): boolean {
    const held = (this.#held.get(caller) ?? 0) + bytes
    const most = size > SMALL_BODY_BYTES ? this.#most - this.#reserve : this.#most
    if (held > this.#mostOfOne || this.#heldByAll + bytes > most) return false
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

/** Separate budgets, so that anonymous callers cannot starve authenticated ones, nor uploads and billing events other requests. */
export const anonymousBodies = new BodyMemory(16 * MIB, 4 * MIB)
export const billingEvents = new BodyMemory(16 * MIB, 4 * MIB, 4 * MIB)
export const admittedBodies = new BodyMemory(48 * MIB, 16 * MIB)
export const uploads = new BodyMemory(32 * MIB, 8 * MIB)
