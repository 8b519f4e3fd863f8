import type { Logger } from 'pino'

const SOON_MS = 500

/**
 * Loads what no start waits for and a running service must have: an update replaces the files under it before it is restarted. One
 * after the other, so that requests are answered in between.
 */
export function loadSoon(log: Logger, loaders: (() => unknown)[]): void {
  const loadAll = async () => {
    for (const load of loaders)
      try {
        await load()
      } catch (error) {
        // Whoever needs it is told.
        log.warn({ err: error }, 'a part could not be loaded ahead of its use')
      }
  }
  setTimeout(loadAll, SOON_MS).unref()
}
