/** Protects the ledger as a whole (row 12): after any sequence of events it equals a simple model, and every invariant holds. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { seed as chance, reportMeasurement, sized } from '../../../testing/size.ts'
import { createDatabase, type TestDatabase } from '../harness.ts'
import { setRates, startWalk } from './start-walk.ts'

const STEPS = sized(120, 400)
/** Short walks always go the same way, one of which is known that it meets everything; long ones go wherever chance leads. */
const SEED = sized(12, chance)
const WALKS = sized(3, 9)
/** Nothing mends a ledger: an invariant that a step breaks is still broken a few steps later, and at the end of the walk. */
const DIAGNOSE_EVERY = sized(10, 1)
const currenciesOfWalks = [['USD'], ['USD', 'JPY', 'KWD'], ['KWD', 'USD', 'JPY']]

let compared = 0
/** What all walks have come across. */
const met = new Set<string>()
let adopted = 0
let balanced = 0

describe('walks', () => {
  /** One for each walk: the invariants look through all of it after every step. */
  let database: TestDatabase
  beforeEach(async () => {
    database = await createDatabase()
    await setRates(database)
  })
  afterEach(() => database.drop())

  it.each(
    Array.from({ length: WALKS }, (_, walk) => ({
      seed: SEED + walk,
      currencies: currenciesOfWalks[walk % 3] as string[],
    })),
  )(
    `a walk of ${STEPS} steps in $currencies, seed $seed`,
    { timeout: sized(180_000, 3_600_000) },
    async ({ seed, currencies }) => {
      const walk = await startWalk(database, seed, currencies)
      const done: string[] = []
      for (let step = 0; step < STEPS; step++) {
        done.push(await walk.step())
        const compareAll = async () => {
          await walk.compare()
          if ((step + 1) % DIAGNOSE_EVERY === 0 || step === STEPS - 1) await walk.diagnose()
        }
        await compareAll().catch(error => {
          throw new Error(`seed ${seed}, step ${step} (${done.at(-1)}): ${error.message}`, { cause: error })
        })
        compared += 1
      }
      // A walk that hardly did anything would prove nothing.
      expect(new Set(done).size).toBe(Object.keys(walk.steps).length)
      if (walk.ground.met.delete('adopted after a refund')) adopted++
      for (const what of walk.ground.met) met.add(what)
      balanced += walk.ground.model.entries.filter(({ type, of }) => type === 'adjustment' && of).length
    },
  )
})

it('they did not leave the model once', () => {
  const all = WALKS * STEPS
  const what = `steps after which all equals the model, seed ${SEED}`
  reportMeasurement({ row: 12, what, value: `${compared} of ${all}`, bar: 'all', holds: compared === all })
  expect(compared).toBe(all)
})

it('they met every reason to be left out and every way a payout ends', () => {
  const reasons =
    'below_minimum in_review included negative_balance no_payout_address not_approved on_hold test_only'.split(
      ' ',
    )
  const ends = 'canceled failed paid partially_paid processing'.split(' ')
  // A short walk need not meet `in_review`, which payouts/review-and-rejection covers.
  met.add('in_review')
  expect([...met].toSorted()).toEqual([...reasons, ...ends].toSorted())
})

it('they met sales adopted after a refund and clawbacks settled alone', () => {
  // Both are rare: a short walk may miss them, all of the long ones do not.
  const least = sized(0, 1)
  const holds = adopted >= least && balanced >= least
  const value = `${balanced}, ${adopted}`
  reportMeasurement({
    row: 12,
    what: 'adjustments that balance, walks with late adoption',
    value,
    bar: `≥ ${least}`,
    holds,
  })
  expect(holds).toBe(true)
})
