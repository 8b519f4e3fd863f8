/** Protects the database from questions that have been answered: what it grants ahead is for all who wait. */
import { expect, it } from 'vitest'
import type { Db } from '../../db/database.ts'
import { Admissions } from './admissions.ts'

/** A database that grants all it is asked for, when the test says so. */
function slowDatabase() {
  const questions: { wanted: number; grant(): void }[] = []
  const first = ({ values }: { values: number[] }) =>
    new Promise(resolve => {
      const wanted = values[2] as number
      const row = { account_id: 1, api_key_id: 1, granted: wanted, used: wanted, frees_in_ms: 60_000 }
      questions.push({ wanted, grant: () => resolve(row) })
    })
  return { questions, db: { first } as unknown as Db }
}

it('those who come while it is asked take of what it gave ahead, and ask no more', async () => {
  const { db, questions } = slowDatabase()
  const admissions = new Admissions(db, 1_000_000)
  const key = Buffer.alloc(32)
  const first = admissions.admit(key)
  questions[0]?.grant()
  await first
  const second = admissions.admit(key)
  const meanwhile = admissions.admit(key)
  questions[1]?.grant()
  expect(await Promise.all([second, meanwhile])).toMatchObject([{ admitted: true }, { admitted: true }])
  expect(questions.map(({ wanted }) => wanted)).toEqual([1, 2])
})
