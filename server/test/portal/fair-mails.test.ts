/** One account's bulk emails do not delay another account's single email. */
import { beforeAll, expect, it } from 'vitest'
import { claimMails } from '../../src/mail/mail.store.ts'
import { takeNotices } from '../../src/mail/notices/notice.store.ts'
import { buildAccount } from '../factories.ts'
import { useOwnScene } from '../harness.ts'

const scene = useOwnScene()
const FLOOD = 500
let other: number
beforeAll(async () => {
  other = (await buildAccount(scene.database)).id
})

it('emails are sent round robin over accounts', async () => {
  const write = (accountId: number | null, count: number) =>
    scene.database.owner.query(
      `INSERT INTO mails (account_id, kind, to_address, subject, text_body, html_body)
       SELECT $1::bigint, 'approved', 'a@example.com', coalesce($1::text, 'no account'), '', '' FROM generate_series(1, $2::integer)`,
      [accountId, count],
    )
  await write(scene.account.id, FLOOD)
  await write(other, 1)
  // To users: they belong to no account.
  await write(null, 1)
  const subjects = (await claimMails(scene.database.db, 10)).map(({ subject }) => subject)
  expect(subjects).toHaveLength(10)
  expect(subjects.filter(subject => subject === String(other))).toHaveLength(1)
  expect(subjects.filter(subject => subject === 'no account')).toHaveLength(1)
  // The next claim takes others.
  expect(await claimMails(scene.database.db, FLOOD)).toHaveLength(FLOOD - 8)
  expect(await claimMails(scene.database.db, FLOOD)).toEqual([])
})

it('within an account, links that someone is waiting for go first, also in the order of sending', async () => {
  const { db, owner } = scene.database
  await owner.query('DELETE FROM mails')
  const write = (kind: string, count = 1) =>
    owner.query(
      `INSERT INTO mails (account_id, kind, to_address, subject, text_body, html_body)
       SELECT $1, $2, 'a@example.com', '', '', '' FROM generate_series(1, $3::integer)`,
      [scene.account.id, kind, count],
    )
  await write('payout_sent', FLOOD)
  for (const kind of ['sign_in_link', 'password_reset', 'confirm_join']) await write(kind)
  await owner.query(`UPDATE mails SET due_at = now() + interval '1 hour' WHERE kind = 'password_reset'`)
  const kinds = async () => (await claimMails(db, 4)).map(({ kind }) => kind)
  expect(await kinds()).toEqual(['sign_in_link', 'confirm_join', 'payout_sent', 'payout_sent'])
  expect(await kinds()).toEqual(['payout_sent', 'payout_sent', 'payout_sent', 'payout_sent'])
})

it('within an account, notices of links are rendered first', async () => {
  const { db, owner } = scene.database
  await owner.query('DELETE FROM notices')
  for (const [kind, count] of [
    ['payout_sent', FLOOD],
    ['sign_in_link', 1],
  ])
    await owner.query(
      `INSERT INTO notices (account_id, kind) SELECT $1, $2 FROM generate_series(1, $3::integer)`,
      [scene.account.id, kind, count],
    )
  const taken = await db.transaction(tx => takeNotices(tx, 2, []))
  expect(taken.map(({ kind }) => kind)).toEqual(['sign_in_link', 'payout_sent'])
  await owner.query('DELETE FROM notices')
})

it('notices are rendered round robin over accounts, in order within an account', async () => {
  const note = (accountId: number, count: number) =>
    scene.database.owner.query(
      `INSERT INTO notices (account_id, kind) SELECT $1, 'approved' FROM generate_series(1, $2::integer)`,
      [accountId, count],
    )
  await note(scene.account.id, FLOOD)
  await note(other, 2)
  await scene.database.db.transaction(async tx => {
    const taken = await takeNotices(tx, 100, [])
    expect(taken).toHaveLength(100)
    expect(taken.filter(({ account_id }) => account_id === other)).toHaveLength(2)
    const ids = taken.filter(({ account_id }) => account_id === scene.account.id).map(({ id }) => id)
    expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    const except = taken.map(({ id }) => id)
    expect(await takeNotices(tx, 1000, except)).toHaveLength(FLOOD + 2 - 100)
  })
  await scene.database.owner.query('DELETE FROM notices')
  await scene.database.db.transaction(async tx => expect(await takeNotices(tx, 100, [])).toEqual([]))
})
