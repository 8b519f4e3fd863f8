import { setTimeout as sleep } from 'node:timers/promises'
import { api, statusOf } from './api.ts'
import { withOwner } from './embedded-sql.ts'

const WINDOW_MS = 60_000

/** A request as its sender saw it: it was counted at some point between the two times. */
export interface Sent {
  sentAt: number
  answeredAt: number
  status: number
}

/** Sends at an even pace to the servers in turn, and waits for all responses. */
export async function sendEvenly(
  urls: string[],
  key: string,
  { perMinute, seconds }: { perMinute: number; seconds: number },
): Promise<Sent[]> {
  const clients = urls.map(url => api(url, key))
  const began = Date.now()
  const count = Math.round((perMinute * seconds) / 60)
  return Promise.all(
    Array.from({ length: count }, async (_, index): Promise<Sent> => {
      await sleep(began + (index * WINDOW_MS) / perMinute - Date.now())
      const sentAt = Date.now()
      const client = clients[index % clients.length] ?? api(urls[0] ?? '', key)
      const status = await statusOf(client.campaigns.list({ limit: 1 }).page())
      return { sentAt, answeredAt: Date.now(), status }
    }),
  )
}

/** The most requests certainly admitted within any 60 s: those sent and responded to within it. */
export function mostInAWindow(requests: Sent[]): number {
  const admitted = requests.filter(({ status }) => status === 200)
  return Math.max(
    0,
    ...admitted.map(
      ({ sentAt: from }) =>
        admitted.filter(({ sentAt, answeredAt }) => sentAt >= from && answeredAt < from + WINDOW_MS).length,
    ),
  )
}

/** Inserts a minute of evenly spaced requests into each key's history, and returns them as they would have been logged. */
export function fillWindow(dataDir: string, keys: { id: string; perMinute: number }[]): Promise<Sent[][]> {
  return withOwner(dataDir, async client => {
    const logs: Sent[][] = []
    for (const { id, perMinute } of keys) {
      const { rows } = await client.query(
        `INSERT INTO api_key_admissions (account_id, api_key_id, slots, counts_until)
         SELECT k.account_id, k.id, 1, clock_timestamp() + n * interval '60 s' / $2
           FROM api_keys k, generate_series(1, $2::integer) n WHERE k.id = $1
         RETURNING extract(epoch FROM counts_until)::float8 * 1000 AS until_ms`,
        [id, perMinute],
      )
      logs.push(
        rows.map(({ until_ms: untilMs }) => {
          const at = untilMs - WINDOW_MS
          return { sentAt: at, answeredAt: at, status: 200 }
        }),
      )
    }
    return logs
  })
}
