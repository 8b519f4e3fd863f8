/** Every caller gets the result of the write that holds its click, success or failure, and of no other. */
import { expect, it } from 'vitest'
import type { Db } from '../../db/database.ts'
import type { NewClick } from './click.store.ts'
import { ClickWriter } from './click-writer.ts'

interface Write {
  affiliates: number[]
  finish(): void
  fail(error: Error): void
}

/** A database whose writes end when the test ends them; a click's id is its affiliate plus 1000. */
function slowDatabase() {
  const writes: Write[] = []
  const many = ({ values }: { values: number[][] }) =>
    new Promise((resolve, reject) => {
      const affiliates = values[2] as number[]
      const finish = () => resolve(affiliates.map(affiliate => ({ id: affiliate + 1000 })))
      writes.push({ affiliates, finish, fail: reject })
    })
  return { writes, db: { many } as unknown as Db }
}

const click = (affiliateId: number): NewClick => ({
  accountId: 1,
  campaignId: 1,
  affiliateId,
  visitorId: null,
  addressHash: null,
  isBot: false,
  userAgent: null,
  landingUrl: null,
  referrer: null,
  country: null,
})
const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index)
/** A write ends in one turn of the event loop, and the next one begins in another. */
const settled = async () => {
  for (let turn = 0; turn < 3; turn++) await new Promise(resolve => setImmediate(resolve))
}

it('writes the first at once, then all that came meanwhile together, at most 500', async () => {
  const { db, writes } = slowDatabase()
  const writer = new ClickWriter(db)
  const ids = Promise.all(range(0, 1203).map(n => writer.write(click(n))))
  for (let index = 0; index < 4; index++) {
    // Never two at once: the rest waits until this one has ended.
    expect(writes).toHaveLength(index + 1)
    writes[index]?.finish()
    await settled()
  }
  expect(writes.map(({ affiliates }) => affiliates)).toEqual([
    [0],
    range(1, 500),
    range(501, 500),
    range(1001, 202),
  ])
  expect(await ids).toEqual(range(1000, 1203))
})

it('a failed write rejects its own callers only', async () => {
  const { db, writes } = slowDatabase()
  const writer = new ClickWriter(db)
  const answers = range(0, 4).map(n => writer.write(click(n)))
  const outcomes = Promise.allSettled(answers)
  writes[0]?.finish()
  await settled()
  const late = writer.write(click(9))
  writes[1]?.fail(new Error('the disk is full'))
  await settled()
  writes[2]?.finish()
  expect(await late).toBe(1009)
  const failed = { status: 'rejected', reason: new Error('the disk is full') }
  expect(await outcomes).toEqual([{ status: 'fulfilled', value: 1000 }, failed, failed, failed])
})

it('writes again after a failure with an empty queue', async () => {
  const { db, writes } = slowDatabase()
  const writer = new ClickWriter(db)
  const first = writer.write(click(1))
  writes[0]?.fail(new Error('gone'))
  await expect(first).rejects.toThrow('gone')
  await settled()
  const next = writer.write(click(2))
  writes[1]?.finish()
  expect(await next).toBe(1002)
})
