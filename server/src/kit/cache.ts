import { LRUCache } from 'lru-cache'

/** An LRU memo of a pure function of a name. Errors are not cached. */
export function memo<T extends boolean | string | object>(most: number): (name: string, make: () => T) => T {
  const known = new LRUCache<string, T>({ max: most })
  return (name, make) => {
    // Not its own `memo`, which takes several times as long for a known name.
    const found = known.get(name)
    if (found !== undefined) return found
    const made = make()
    known.set(name, made)
    return made
  }
}

export interface TtlCache<T> {
  /** Returns the cached value of a name at once, or looks it up if there is none that young. */
  (name: string, lookUp: () => Promise<T | undefined>, maxAgeMs?: number): T | Promise<T | undefined>
  /** The cached value of a name, or undefined if it would have to be looked up. */
  known(name: string): T | undefined
}

/**
 * A cache with a short lifetime, counted from the start of the lookup: a value is never older. Concurrent callers share one lookup that
 * isn't older either; one that fails or finds nothing is not cached and evicts nothing.
 */
export function ttlCache<T extends string | number | object>(lifetimeMs: number, most: number): TtlCache<T> {
  const known = new LRUCache<string, { value: T; lookedUpAt: number }>({ max: most })
  const pending = new Map<string, { lookup: Promise<T | undefined>; lookedUpAt: number }>()
  const youngerThan = (name: string, maxAgeMs: number, now: number) => {
    const found = known.get(name)
    return found && now - found.lookedUpAt < maxAgeMs ? found.value : undefined
  }
  const find = (name: string, lookUp: () => Promise<T | undefined>, maxAgeMs = lifetimeMs) => {
    const lookedUpAt = performance.now()
    const found = youngerThan(name, maxAgeMs, lookedUpAt)
    if (found !== undefined) return found
    const shared = pending.get(name)
    if (shared && lookedUpAt - shared.lookedUpAt <= maxAgeMs) return shared.lookup
    const lookup = lookUp()
      .then(value => {
        // A later one may have ended before it.
        const later = known.get(name)
        if (later && later.lookedUpAt > lookedUpAt) return value
        if (value === undefined) known.delete(name)
        else known.set(name, { value, lookedUpAt })
        return value
      })
      .finally(() => {
        if (pending.get(name)?.lookedUpAt === lookedUpAt) pending.delete(name)
      })
    pending.set(name, { lookup, lookedUpAt })
    return lookup
  }
  return Object.assign(find, {
    known: (name: string) => youngerThan(name, lifetimeMs, performance.now()),
  })
}
