import { LRUCache } from 'lru-cache'

/** Remembers what follows from a name alone, for the names that are in use. What cannot be made is not remembered. */
export function memo<T extends boolean | string | object>(most: number): (name: string, make: () => T) => T {
  const known = new LRUCache<string, T, () => T>({
    max: most,
    memoMethod: (_name, _before, { context: make }) => make(),
  })
  return (name, make) => known.memo(name, { context: make })
}

/** Looks something up by its name, unless it was looked up a moment ago. */
export type ShortMemory<T> = (name: string, lookUp: () => Promise<T | undefined>) => Promise<T | undefined>

/**
 * Remembers what was looked up for a moment. All who ask for it meanwhile cause one look-up; one that fails or finds nothing is not
 * remembered.
 */
export function shortMemory<T extends string | number | object>(
  lifetimeMs: number,
  most: number,
): ShortMemory<T> {
  const known = new LRUCache<string, T, () => Promise<T | undefined>>({
    max: most,
    ttl: lifetimeMs,
    // The clock is read each time: a timer would cost more.
    ttlResolution: 0,
    fetchMethod: (_name, _before, { context: lookUp }) => lookUp(),
    // Everybody is answered, also those whose place others have taken before their look-up came back.
    ignoreFetchAbort: true,
  })
  return (name, lookUp) => known.fetch(name, { context: lookUp })
}
