import { expect, it, vi } from 'vitest'
import { patiently } from './patiently.ts'

const timeout = new Error('Connection terminated due to connection timeout')

it.each([
  ['connects', 0, timeout, 1],
  ['connects again after a timeout', 2, timeout, 3],
])('%s', async (_, failures, error, attempts) => {
  const connect = vi.fn(async () => {
    if (connect.mock.calls.length <= failures) throw error
    return 'connected'
  })
  expect(await patiently(connect)).toBe('connected')
  expect(connect).toHaveBeenCalledTimes(attempts)
})

it.each([
  ['gives up after three timeouts', timeout, 3],
  ['reports any other failure at once', new Error('password authentication failed'), 1],
])('%s', async (_, error, attempts) => {
  const connect = vi.fn(() => Promise.reject(error))
  await expect(patiently(connect)).rejects.toBe(error)
  expect(connect).toHaveBeenCalledTimes(attempts)
})
