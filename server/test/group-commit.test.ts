/**
 * Protects transactions that share a commit: each is kept or fails as if it were alone, whatever the others in its group do, and none is
 * carried out twice.
 */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { Database, type ReadItems, type Tx } from '../src/db/database.ts'
import { isConnectionTimeout, isUnavailable } from '../src/db/failures.ts'
import { GroupCommit } from '../src/db/group-commit.ts'
import { sql } from '../src/db/sql.ts'
import { invalid } from '../src/kit/domain-error.ts'
import { createDatabase, type TestDatabase } from './harness.ts'
import { lockWaiters } from './interleave.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createDatabase()
  await database.owner.query(`
    CREATE TABLE notes (name text PRIMARY KEY, transaction xid8 NOT NULL DEFAULT pg_current_xact_id());
    CREATE TABLE replies (name text PRIMARY KEY, note text NOT NULL REFERENCES notes, transaction xid8 NOT NULL DEFAULT pg_current_xact_id());
    GRANT SELECT, INSERT ON notes, replies TO PUBLIC`)
})
afterAll(() => database.drop())
beforeEach(() => database.owner.query('TRUNCATE notes, replies'))

const note = (name: string) => sql`INSERT INTO notes (name) VALUES (${name})`

async function notes(): Promise<{ name: string; transaction: string }[]> {
  const { rows } = await database.owner.query('SELECT name, transaction::text FROM notes ORDER BY name')
  return rows
}
const names = async () => (await notes()).map(({ name }) => name)
const transactions = async () => new Set((await notes()).map(({ transaction }) => transaction)).size

const grouped = <T>(key: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
  database.db.transaction(work, { groupCommit: { kind: 'reports', accountId: 1, key } })

/** Writes a note under its own name. */
const write = (name: string) =>
  grouped(name, async tx => {
    await tx.many(sql`SELECT 1`)
    tx.send(note(name))
    return name
  })

/** Starts all of them while a group is running, so that they share the next one. */
async function together<T>(...starts: (() => Promise<T>)[]): Promise<PromiseSettledResult<T>[]> {
  let release = () => {}
  const released = new Promise<void>(resolve => {
    release = resolve
  })
  const running = grouped('the group before', () => released)
  const results = Promise.allSettled(starts.map(start => start()))
  release()
  await running
  return results
}

const fulfilled = <T>(value: T) => ({ status: 'fulfilled', value })

it('commits those that arrive together in one transaction, each with its result', async () => {
  const results = await together(
    () => write('b'),
    () => write('c'),
    () => write('a'),
  )
  expect(results).toEqual([fulfilled('b'), fulfilled('c'), fulfilled('a')])
  expect(await names()).toEqual(['a', 'b', 'c'])
  expect(await transactions()).toBe(1)
})

it('keeps nothing of one that is refused, and the others in one transaction', async () => {
  const results = await together(
    () => write('a'),
    () =>
      grouped('b', async tx => {
        tx.send(note('b'))
        throw invalid('name', 'is refused')
      }),
    () => write('c'),
  )
  expect(results).toMatchObject([fulfilled('a'), { reason: { code: 'validation_failed' } }, fulfilled('c')])
  expect(await names()).toEqual(['a', 'c'])
  expect(await transactions()).toBe(1)
})

it.each<[string, (tx: Tx) => Promise<unknown>, object]>([
  [
    'by what was already written',
    async tx => {
      tx.send(note('b'))
      await tx.many(sql`SELECT 1`)
      throw invalid('name', 'is refused')
    },
    { code: 'validation_failed' },
  ],
  [
    'by what a statement wrote that returns rows',
    async tx => {
      await tx.many(sql`${note('b')} RETURNING name`)
      throw invalid('name', 'is refused')
    },
    { code: 'validation_failed' },
  ],
  ['in a statement', tx => tx.many(sql`SELECT 1 / 0`), { code: '22012' }],
  [
    'because its statement is canceled',
    tx => tx.many(sql`SELECT pg_cancel_backend(pg_backend_pid()), pg_sleep(60)`),
    { code: '57014' },
  ],
  [
    'in a statement, and says otherwise',
    tx =>
      tx.many(sql`SELECT 1 / 0`).catch(() => {
        throw invalid('name', 'is refused')
      }),
    { code: 'validation_failed' },
  ],
  ['in a write', async tx => tx.send(note('taken')), { code: '23505' }],
  [
    'in a write at the end',
    async tx => tx.atEnd<string>((end, items) => end.send(note(items[0] as string)), ['taken']),
    { code: '23505' },
  ],
])('keeps the others if one fails %s', async (_, work, reason) => {
  await write('taken')
  const results = await together<unknown>(
    () => write('a'),
    () => grouped('b', work),
    () => write('c'),
  )
  expect(results).toMatchObject([fulfilled('a'), { reason }, fulfilled('c')])
  expect(await names()).toEqual(['a', 'c', 'taken'])
})

it.each<[string, (nested: Tx) => unknown]>([
  ['before anything is written', nested => nested.send(note('inner'))],
  [
    'after something is written',
    nested => {
      nested.send(note('inner'))
      return nested.many(sql`SELECT 1`)
    },
  ],
  ['after a statement that returns rows has written', nested => nested.many(note('inner'))],
])('rolls back a nested transaction that fails %s, and keeps the rest', async (_, writeInner) => {
  const results = await together(
    () => write('a'),
    () =>
      grouped('b', async tx => {
        tx.send(note('outer'))
        const inner = tx.transaction(async nested => {
          await writeInner(nested)
          throw invalid('name', 'is refused')
        })
        await inner.catch(() => undefined)
        return 'b'
      }),
  )
  expect(results).toEqual([fulfilled('a'), fulfilled('b')])
  expect(await names()).toEqual(['a', 'outer'])
})

it('writes rows of the same kind in one statement, and each after the row that it refers to', async () => {
  await write('known')
  const statements: string[] = []
  const addNotes = (tx: Tx, _accountId: number, rows: string[]) => {
    statements.push(`notes ${rows.join(' ')}`)
    tx.send(sql`INSERT INTO notes (name) SELECT unnest(${rows}::text[])`)
  }
  const addReplies = (tx: Tx, accountId: number, rows: [string, string][]) => {
    statements.push(`replies ${rows.map(([name]) => name).join(' ')} of ${accountId}`)
    const [replies, parents] = [rows.map(([name]) => name), rows.map(([, parent]) => parent)]
    tx.send(
      sql`INSERT INTO replies (name, note) SELECT * FROM unnest(${replies}::text[], ${parents}::text[])`,
    )
  }
  const reply = (name: string, accountId: number) =>
    grouped(name, async tx => tx.sendRows(addReplies, accountId, [[name, 'known']]))
  const both = (name: string) =>
    grouped(name, async tx => {
      tx.sendRows(addNotes, 1, [name])
      tx.atEnd<string>(() => undefined, [])
      tx.sendRows(addReplies, 1, [[name, name]])
    })
  const results = await together(
    () => reply('a', 1),
    () => both('b'),
    () => both('c'),
    () => reply('d', 1),
    () => reply('e', 2),
  )
  expect(results.map(({ status }) => status)).toEqual(results.map(() => 'fulfilled'))
  expect(statements).toEqual(['replies a d of 1', 'notes b c', 'replies b c of 1', 'replies e of 2'])
  const { rows } = await database.owner.query(
    'SELECT count(DISTINCT transaction)::integer AS count FROM replies',
  )
  expect(rows).toEqual([{ count: 1 }])
})

it('reads the items of one kind in one statement, and each after the lock that it needs', async () => {
  const statements: string[] = []
  const kind = (name: string) => (tx: Tx, accountId: number, items: string[]) => {
    statements.push(`${name} ${items.join(' ')} of ${accountId}`)
    return tx.many<string>(sql`SELECT unnest(${items.map(item => `${name} ${item}`)}::text[]) AS found`)
  }
  const [lock, read] = [kind('lock'), kind('read')]
  const plain = (tx: Tx, item: string) => {
    statements.push(`plain ${item}`)
    return tx.many(sql`SELECT ${`plain ${item}`}::text AS found`)
  }
  const report = (item: string, accountId: number) =>
    grouped(item, tx =>
      tx.inOrder(
        () => tx.readItem(lock, accountId, item),
        () => tx.readItem(read, accountId, item),
      ),
    )
  const results = await together<unknown>(
    () => grouped('a', tx => tx.readItem(read, 1, 'a')),
    () => report('b', 1),
    () => report('c', 1),
    () => report('d', 2),
    () => grouped('e', tx => plain(tx, 'e')),
  )
  const found = (...texts: string[]) => texts.map(text => ({ found: text }))
  expect(results).toEqual([
    fulfilled(found('read a')[0]),
    fulfilled(found('lock b', 'read b')),
    fulfilled(found('lock c', 'read c')),
    fulfilled(found('lock d', 'read d')),
    fulfilled(found('plain e')),
  ])
  expect(statements).toEqual([
    'plain e',
    'read a of 1',
    'lock b c of 1',
    'read b c of 1',
    'lock d of 2',
    'read d of 2',
  ])
})

it('keeps what a member sends in its order: a write, a read of an item, and a statement', async () => {
  const count: ReadItems<string, { notes: number }> = (tx, _accountId, items) =>
    tx.many<{ notes: number }>(sql`
      SELECT (SELECT count(*)::integer FROM notes n WHERE n.name LIKE given.start || '%') AS notes
        FROM unnest(${items}::text[]) AS given (start)`)
  const run = (name: string) =>
    grouped(name, async tx => {
      tx.send(note(`${name}1`))
      const first = tx.readItem(count, 1, name)
      tx.send(note(`${name}2`))
      const second = tx.first<{ notes: number }>(
        sql`SELECT count(*)::integer AS notes FROM notes n WHERE n.name LIKE ${name} || '%'`,
      )
      tx.send(note(`${name}3`))
      const third = tx.readItem(count, 1, name)
      return (await Promise.all([first, second, third])).map(row => row?.notes)
    })
  const results = await together(
    () => run('a'),
    () => run('b'),
  )
  expect(results).toEqual([fulfilled([1, 2, 3]), fulfilled([1, 2, 3])])
})

it('repeats each alone if the statement that they share fails', async () => {
  const divide: ReadItems<number, { result: number }> = (tx, _accountId, items) =>
    tx.many<{ result: number }>(sql`SELECT 6 / unnest(${items}::integer[]) AS result`)
  const run = (by: number) => () => grouped(String(by), tx => tx.readItem(divide, 1, by))
  expect(await together(run(1), run(0), run(2))).toMatchObject([
    fulfilled({ result: 6 }),
    { reason: { code: '22012' } },
    fulfilled({ result: 3 }),
  ])
})

it('a lock that another transaction holds delays none but the one that needs it', async () => {
  const lock = sql`SELECT pg_advisory_xact_lock(7)`
  const waiting = await database.db.transaction(async holder => {
    await holder.many(lock)
    const started: Promise<string>[] = []
    const late = () => {
      const result = grouped('b', async tx => {
        await tx.many(lock)
        tx.send(note('b'))
        return 'b'
      })
      started.push(result)
      return Promise.resolve('started')
    }
    const results = await together(
      () => write('a'),
      late,
      () => write('c'),
    )
    expect(results).toEqual([fulfilled('a'), fulfilled('started'), fulfilled('c')])
    expect(await write('d')).toBe('d')
    while ((await lockWaiters(database.owner)).length === 0);
    expect(await names()).toEqual(['a', 'c', 'd'])
    return started
  })
  expect(await Promise.all(waiting)).toEqual(['b'])
  expect(await names()).toEqual(['a', 'b', 'c', 'd'])
})

it('never puts two with the same key into one transaction', async () => {
  const twice = (name: string) => () =>
    grouped('same', async tx => {
      tx.send(note(name))
      return name
    })
  await together(twice('a'), twice('b'), twice('c'))
  expect(await names()).toEqual(['a', 'b', 'c'])
  expect(await transactions()).toBe(3)
})

it('runs them in the order of their keys, so that two processes lock in the same order', async () => {
  const ran: string[] = []
  const run = (key: string) => () =>
    grouped(key, async () => {
      ran.push(key)
    })
  await together(run('c'), run('a'), run('b'))
  expect(ran).toEqual(['a', 'b', 'c'])
})

it('repeats nothing after a lost connection, because it may have been committed', async () => {
  let runs = 0
  const cut = () =>
    grouped('b', async tx => {
      runs++
      await tx.many(sql`SELECT pg_terminate_backend(pg_backend_pid())`)
      return 'b'
    })
  const results = await together(() => write('a'), cut)
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  for (const result of results) expect(isUnavailable((result as PromiseRejectedResult).reason)).toBe(true)
  expect(runs).toBe(1)
  expect(await write('c')).toBe('c')
})

it('those of one key run one after the other, also behind one that is repeated alone', async () => {
  const order: string[] = []
  const run = (name: string) => () =>
    grouped('same', async tx => {
      await tx.many(name === 'a' ? sql`${note('taken')} ON CONFLICT DO NOTHING` : sql`SELECT 1`)
      order.push(name)
      if (name === 'a' && order.length === 1) throw invalid('name', 'is refused at first')
      return name
    })
  expect(await together(run('a'), run('b'), run('c'))).toEqual(['a', 'b', 'c'].map(fulfilled))
  expect(order).toEqual(['a', 'a', 'b', 'c'])
})

it('one whose turn comes too late fails like one that waited for a connection', async () => {
  const unexpected = () => Promise.reject(new Error('It was run.'))
  const groups = new GroupCommit(unexpected, unexpected, -1)
  const late = groups.add({ accountId: 1, key: 'a' }, async () => 'a')
  expect(isConnectionTimeout(await late.catch(error => error))).toBe(true)
})

it('works behind a pooler too', async () => {
  const pooled = new Database({ ...database.service, isPooled: true }, () => undefined)
  try {
    const write = (key: string) =>
      pooled.transaction(async tx => tx.send(note(key)), {
        groupCommit: { kind: 'reports', accountId: 1, key },
      })
    await Promise.all(['a', 'b', 'c'].map(write))
    expect(await names()).toEqual(['a', 'b', 'c'])
    expect(await transactions()).toBe(2)
  } finally {
    await pooled.close()
  }
})

it('keeps nothing of one that is refused while it reads', async () => {
  const refused = grouped('a', async tx => {
    tx.send(note('a'))
    await tx.inOrder(
      () => tx.first(sql`SELECT 1`),
      async () => {
        throw invalid('name', 'is refused')
      },
    )
  })
  await expect(refused).rejects.toMatchObject({ code: 'validation_failed' })
  expect(await names()).toEqual([])
})

it('writes before the commit what precedes a read that is not awaited', async () => {
  await grouped('a', async tx => {
    tx.send(note('a'))
    void tx.many(sql`SELECT 1`)
    tx.send(note('b'))
  })
  expect([await names(), await transactions()]).toEqual([['a', 'b'], 1])
})

it('an error of a shared read that is not of the database concerns one of them', async () => {
  const numbers: ReadItems<string, { result: number }> = (tx, _accountId, items) =>
    tx.many<{ result: number }>(sql`SELECT unnest(${items}::bigint[]) AS result`)
  const read = (item: string) => () => grouped(item, tx => tx.readItem(numbers, 1, item))
  // The second is too large for a number.
  expect(await together(read('1'), read('9007199254740993'), read('2'))).toMatchObject([
    fulfilled({ result: 1 }),
    { status: 'rejected' },
    fulfilled({ result: 2 }),
  ])
})

it('a write that cannot be sent fails its member', async () => {
  const writeBroken = (tx: Tx, _accountId: number, rows: unknown[]) =>
    tx.send(sql`SELECT ${JSON.stringify(rows)}::json`)
  const failed = grouped('a', async tx => {
    tx.sendRows(writeBroken, 1, [1n])
    await tx.many(sql`SELECT 1`)
  })
  await expect(failed).rejects.toThrow(/BigInt/)
})
