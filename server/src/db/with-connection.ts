import pg from 'pg'
import { closeAsLost } from './pg-adapter.ts'

/** An idle connection that leads nowhere is closed within half a minute, and firewalls don't forget one that does. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const

const END_WITHIN_MS = 2000

/** Closes a connection, also if its server no longer responds. */
export async function endSoon(client: pg.Client): Promise<void> {
  const timer = setTimeout(() => closeAsLost(client), END_WITHIN_MS)
  await client.end().finally(() => clearTimeout(timer))
}

/** Runs `work` on a separate connection and closes it afterwards, which rolls back any open transaction. */
export async function withConnection<T>(
  config: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ ...KEEP_ALIVE, ...config })
  // A connection lost between two statements fails the next one with the reason.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await endSoon(client)
  }
}
