/** A start waits for a PostgreSQL that accepts connections late; it doesn't ask the operator to start again. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readSettings } from '../src/config.ts'
import { openDatabase } from '../src/db/open-database.ts'
import { createLog } from '../src/kit/log.ts'
import { createDatabase, type TestDatabase } from './harness.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

it('a connection that is ignored is replaced', async () => {
  const { host, port, user, password, database: name } = database.owner.options
  const targets: Socket[] = []
  let ignored: Socket | undefined
  const proxy = createServer(socket => {
    if (!ignored) {
      ignored = socket
      return
    }
    const target = connect(`${host}/.s.PGSQL.${port}`)
    targets.push(target)
    socket.pipe(target).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const url = `postgres://${user}:${password}@127.0.0.1:${(proxy.address() as AddressInfo).port}/${name}`
  const settings = readSettings({ DATABASE_URL: url, TRIBUTARY_DATA_DIR: '/nowhere' })
  const { ready, migrate, close } = await openDatabase(settings, createLog('silent', 2))
  await ready
  expect(await migrate()).toEqual([])
  expect(targets).not.toEqual([])
  const closed = targets.map(target => target.closed || once(target, 'close'))
  await close()
  await Promise.all(closed)
  proxy.close()
})
