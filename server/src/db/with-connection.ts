import pg from 'pg'

/** Runs `work` on a separate connection and closes it afterwards, which rolls back any open transaction. */
export async function withConnection<T>(
  config: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(config)
  // A connection lost between two statements fails the next one with the reason.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
