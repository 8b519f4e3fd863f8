import { setTimeout as sleep } from 'node:timers/promises'
import { type Tributary, TributaryError } from '@tributary/sdk'
import { api } from './api.ts'
import type { Programme } from './programme.ts'
import { until } from './until.ts'

const WORKERS = 6
const MOST_REQUESTS = 6_000

export interface Outcome {
  email: string
  /** 0 where the connection failed before an answer came. */
  status: number
  code: string | undefined
  retryAfterSeconds: number | undefined
  sentAt: number
  answeredAt: number
}

export interface Load {
  outcomes: Outcome[]
  acknowledged(): Outcome[]
  /** Waits until so many more requests have been answered with this status. */
  more(count: number, status: number, timeoutMs: number): Promise<void>
  stop(): Promise<Outcome[]>
}

let counter = 0

async function send(client: Tributary, campaignId: number): Promise<Outcome> {
  const email = `load-${++counter}@example.com`
  const sentAt = Date.now()
  const done = ({ status = 0, code, retryAfterSeconds }: Partial<TributaryError>): Outcome => ({
    email,
    status,
    code,
    retryAfterSeconds,
    sentAt,
    answeredAt: Date.now(),
  })
  try {
    return done(await client.affiliates.create({ email, campaign_id: campaignId }).withResponse())
  } catch (error) {
    if (error instanceof TributaryError) return done(error)
    throw error
  }
}

/** Enrols new affiliates as fast as a few clients can, or with pauses between, and keeps a log of every answer. */
export function startLoad(url: string, { key, campaignId }: Programme, pauseMs = 0): Load {
  const client = api(url, key)
  const outcomes: Outcome[] = []
  let stopped = false
  const work = async () => {
    while (!stopped && outcomes.length < MOST_REQUESTS) {
      const outcome = await send(client, campaignId)
      outcomes.push(outcome)
      // A refused connection is over at once; without a breath it would use up all requests in no time.
      const breathMs = outcome.status === 201 ? pauseMs : 10
      if (breathMs > 0) await sleep(breathMs)
    }
  }
  const workers = Promise.all(Array.from({ length: WORKERS }, work))
  const count = (status: number) => outcomes.filter(outcome => outcome.status === status).length
  return {
    outcomes,
    acknowledged: () => outcomes.filter(outcome => outcome.status === 201),
    async more(wanted, status, timeoutMs) {
      const goal = count(status) + wanted
      await until(`${wanted} more answers ${status}`, timeoutMs, () => count(status) >= goal)
    },
    async stop() {
      stopped = true
      await workers
      return outcomes
    },
  }
}

/** The acknowledged writes that are not there any more. */
export async function lostWrites(url: string, key: string, acknowledged: Outcome[]): Promise<string[]> {
  const found = new Set<string>()
  for await (const { email } of api(url, key).affiliates.list()) found.add(email)
  return acknowledged.map(({ email }) => email).filter(email => !found.has(email))
}

/** What an outage may look like from outside: 503 with the right words, and nothing else. */
export const unexpected = (outcomes: Outcome[]) =>
  outcomes.filter(
    ({ status, code, retryAfterSeconds = 0 }) =>
      status !== 201 && !(status === 503 && code === 'unavailable' && retryAfterSeconds > 0),
  )

/** From a moment to the last answer that was not a success. */
export const outageMs = (outcomes: Outcome[], since: number) =>
  Math.max(0, ...outcomes.filter(({ status }) => status !== 201).map(({ answeredAt }) => answeredAt - since))
