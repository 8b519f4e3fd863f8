import { LRUCache } from 'lru-cache'

/** An LRU memo of a pure function of a name. Errors are not cached. */
export function memo<T extends boolean | string | object>(most: number): (name: string, make: () => T) => T {
  const known = new LRUCache<string, T, () => T>({
    max: most,
    memoMethod: (_name, _before, { context: make }) => make(),
  })
  return (name, make) => known.memo(name, { context: make })
}

/** Returns the cached value of a name, or looks it up. */
export type TtlCache<T> = (name: string, lookUp: () => Promise<T | undefined>) => Promise<T | undefined>

/**
 * A cache with a short lifetime. Concurrent callers share one lookup; a lookup that fails or finds nothing is not cached.
 */
export function ttlCache<T extends string | number | object>(lifetimeMs: number, most: number): TtlCache<T> {
  const known = new LRUCache<string, T, () => Promise<T | undefined>>({
    max: most,
    ttl: lifetimeMs,
    // Reads the clock each time: a timer would cost more.
    ttlResolution: 0,
    fetchMethod: (_name, _before, { context: lookUp }) => lookUp(),
    // Callers still get their result if the entry was evicted before the lookup finished.
    ignoreFetchAbort: true,
  })
  return (name, lookUp) => known.fetch(name, { context: lookUp })
}
