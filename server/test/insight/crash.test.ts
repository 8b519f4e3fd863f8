/** Protects the roll-ups from kill -9: at every step, nothing is counted twice and nothing is left out. */
import { expect, it } from 'vitest'
// @ts-expect-error The benchmarks are plain JavaScript.
import { hoursAgo, lateZone } from '../../../testing/late-in-the-day.js'
import { insightFailpoints } from '../../src/insight/failpoint.ts'
import { findWrongDays } from '../../src/insight/wrong-days.store.ts'
import { buildCommission, buildReferral, unique } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { useKillableProgram } from '../killable-program.ts'
import { rawFacts, storedFacts } from './raw-facts.ts'

const scene = useOwnScene()
/** Rolls the account up, in a separate process. */
const work = useKillableProgram(new URL('roll-up-steps.ts', import.meta.url), scene)

it('killed at each step, and then done', { timeout: 180_000 }, async () => {
  const { database, place, account } = scene
  await database.owner.query('UPDATE accounts SET time_zone = $1 WHERE id = $2', [lateZone, account.id])
  for (const at of [3, 72, 96, 96, 216].map((hours): string => hoursAgo(hours))) {
    const referral_id = await buildReferral(database, place, { occurred_at: at })
    await buildCommission(database, place, { referral_id, created_at: at })
    await database.owner.query(
      `INSERT INTO sales (account_id, external_id, customer_ref, referral_id, amount_minor, currency, occurred_at)
       VALUES ($1, $2, $2, $3, 500, 'USD', $4)`,
      [account.id, unique('sale'), referral_id, at],
    )
  }
  for (const step of insightFailpoints) expect([step, await work(step)]).toEqual([step, 'SIGKILL'])
  // What the first process was killed in the midst of, the others found undone.
  expect(await work()).toBe(0)
  expect(await storedFacts(database.owner, account.id)).toEqual(
    await rawFacts(database.owner, account.id, lateZone),
  )
  expect(await findWrongDays(database.db, 400)).toEqual([])
})
