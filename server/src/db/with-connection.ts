import pg from 'pg'

/** Works on a connection of its own, which ends with the work, and with it a transaction that was not committed. */
export async function withConnection<T>(
  config: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(config)
  // A connection that breaks between two statements fails the next one, which tells why.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
