/** A worker runs beside `serve` and may have fewer settings: what ends something by a setting is left to `serve`. */
import pino from 'pino'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { readSettings } from '../src/config.ts'
import { SecretBox } from '../src/kit/secret-box.ts'
import { startBackground } from '../src/runtime/background/background.ts'
import { TEST_SECRET_KEY, useOwnScene } from './harness.ts'

const scene = useOwnScene()

/** The routines that a process runs, of its metrics. */
async function routinesAs(isWorker: boolean): Promise<Set<string>> {
  const registry = new Registry()
  const background = startBackground({
    database: scene.database.db,
    listening: undefined,
    secrets: new SecretBox(TEST_SECRET_KEY),
    settings: readSettings({ NODE_ENV: 'test' }),
    isWorker,
    log: pino({ level: 'silent' }),
    registry,
  })
  await background.stop()
  return new Set(
    [...(await registry.metrics()).matchAll(/routine="([^"]+)"/g)].map(([, name]) => name as string),
  )
}

it('deletes nothing by age, counts no day anew, and gives no email up', async () => {
  const [served, worked] = [await routinesAs(false), await routinesAs(true)]
  expect([...served].filter(name => !worked.has(name)).toSorted()).toEqual([
    'delete old leads',
    'drop old clicks',
    'empty old billing events',
    'keep emails',
    'roll up insight',
  ])
  expect([...worked].filter(name => !served.has(name))).toEqual([])
  expect(worked).toContain('send emails')
})
