/** Protects the roll-ups from kill -9: at every step, nothing is counted twice and nothing is left out. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { insightFailpoints } from '../../src/insight/failpoint.ts'
import { findWrongDays } from '../../src/insight/wrong-days.store.ts'
import { buildProgram, type Program } from '../build-program.ts'
import { buildCommission, buildReferral } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { rawFacts, storedFacts } from './raw-facts.ts'

const scene = useOwnScene()
let program: Program
beforeAll(async () => {
  program = await buildProgram(new URL('roll-up-steps.ts', import.meta.url))
})
afterAll(() => program.remove())

async function work(failpoint?: string): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, [program.file], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'test',
      ACCOUNT: String(scene.account.id),
      CONNECTION: JSON.stringify(scene.database.service),
      ...(failpoint && { FAILPOINT: failpoint }),
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [, signal] = await once(child, 'close')
  return signal
}

it('killed at each step, and then done', { timeout: 180_000 }, async () => {
  const { database, place, account } = scene
  for (const days of [3, 4, 4, 9]) {
    const at = new Date(Date.now() - days * 86_400_000).toISOString()
    const referral_id = await buildReferral(database, place, { occurred_at: at })
    await buildCommission(database, place, { referral_id, created_at: at })
  }
  for (const step of insightFailpoints) expect([step, await work(step)]).toEqual([step, 'SIGKILL'])
  // What the first process was killed in the midst of, the others found undone.
  expect(await work()).toBe(null)
  expect(await storedFacts(database.owner, account.id)).toEqual(
    await rawFacts(database.owner, account.id, 'UTC'),
  )
  expect(await findWrongDays(database.db, 400)).toEqual([])
})
