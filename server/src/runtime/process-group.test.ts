/** Guards the connection limit of the embedded PostgreSQL: it holds for any number of processes, also during a rolling restart. */
import { expect, it } from 'vitest'
import { MOST_PROCESSES } from '../config.ts'
import { connectionsEach, exportsEach } from './process-group.ts'

/** Of its 240 connections, some are reserved for administrators, `worker` and commands. */
const ROOM = 200

it.each(Array.from({ length: MOST_PROCESSES }, (_, index) => index + 1))('%d processes', processes => {
  const each = connectionsEach(processes)
  expect((processes + 1) * (each + 3)).toBeLessThanOrEqual(ROOM)
  expect(each).toBeGreaterThanOrEqual(3)
  const exports = exportsEach(processes, 32)
  expect(exports).toBeGreaterThanOrEqual(1)
  expect((processes + 1) * (each + exports + 3)).toBeLessThanOrEqual(237)
})

it('up to nine processes have as many each as one alone', () => {
  expect([connectionsEach(2), connectionsEach(9), connectionsEach(16), connectionsEach(32)]).toEqual([
    14, 14, 7, 3,
  ])
})
