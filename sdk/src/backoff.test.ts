/** Protects the service from its clients: how long they wait before a retry. Uses a fake clock. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Tributary } from './index.ts'

const LONGEST_MS = 10 * 60_000

beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-01-31T12:00:00Z') }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** The times at which requests are sent, if all of them get this response. */
async function attemptsAt(status: number, headers: Record<string, string>, maxRetries: number) {
  const began = Date.now()
  const moments: number[] = []
  const fetch = async () => {
    moments.push(Date.now() - began)
    const body = JSON.stringify({ error: { code: 'unavailable', message: 'Not now.' } })
    return new Response(body, { status, headers })
  }
  const tributary = new Tributary({ apiKey: 'trib_x', baseUrl: 'https://x.example', maxRetries, fetch })
  const call = tributary.affiliates.get(1)
  const failed = expect(call).rejects.toThrow('Not now.')
  await vi.advanceTimersByTimeAsync(LONGEST_MS)
  await failed
  expect(vi.getTimerCount()).toBe(0)
  return moments
}

describe('without Retry-After', () => {
  it('the maximum delay doubles from half a second up to eight seconds', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1)
    expect(await attemptsAt(503, {}, 7)).toEqual([0, 500, 1500, 3500, 7500, 15_500, 23_500, 31_500])
  })

  it('the delay is random below the maximum', async () => {
    const random = vi.spyOn(Math, 'random')
    random.mockReturnValueOnce(0).mockReturnValueOnce(0.5).mockReturnValueOnce(0.25)
    expect(await attemptsAt(502, {}, 3)).toEqual([0, 0, 500, 1000])
  })
})

describe('Retry-After', () => {
  it('is waited for in full, plus the backoff', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    expect(await attemptsAt(429, { 'retry-after': '7' }, 2)).toEqual([0, 7250, 14_750])
    expect(await attemptsAt(409, { 'retry-after': '1' }, 1)).toEqual([0, 1250])
    expect(await attemptsAt(503, { 'retry-after': '60' }, 1)).toEqual([0, 60_250])
  })

  it('may be a date', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const date = new Date(Date.now() + 12_000).toUTCString()
    expect(await attemptsAt(503, { 'retry-after': date }, 1)).toEqual([0, 12_000])
    const past = new Date(Date.now() - 12_000).toUTCString()
    expect(await attemptsAt(503, { 'retry-after': past }, 1)).toEqual([0, 0])
  })

  it('is ignored if it is invalid', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    expect(await attemptsAt(503, { 'retry-after': 'soon' }, 1)).toEqual([0, 0])
  })
})

it('an attempt times out after 30 seconds by default', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const fetch = (_: string, { signal }: RequestInit) =>
    new Promise<Response>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  const tributary = new Tributary({ apiKey: 'trib_x', baseUrl: 'https://x.example', maxRetries: 0, fetch })
  const failed = expect(tributary.affiliates.get(1)).rejects.toMatchObject({ code: 'timed_out' })
  await vi.advanceTimersByTimeAsync(29_999)
  expect(vi.getTimerCount()).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  await failed
})
