import { setTimeout as sleep } from 'node:timers/promises'
import { TributaryError } from '@tributary/sdk'
import { api, statusOf } from './api.ts'
import { PAUSE_MS } from './load.ts'
import { type Env, must } from './program.ts'
import { lastLine } from './programme.ts'
import type { Service } from './service.ts'
import { soon } from './until.ts'

export async function newKey(accountId: number, env: Env): Promise<string> {
  return lastLine(await must(['key', 'create', '--account', String(accountId), '--name', 'x'], env))
}

export async function keyId(accountId: number, key: string, env: Env): Promise<string> {
  const keys = JSON.parse(await must(['key', 'list', '--account', String(accountId), '--json'], env)) as {
    id: number
    last_four: string
  }[]
  return String(keys.find(({ last_four }) => last_four === key.slice(-4))?.id)
}

/** This many show that the key was in use when it was revoked. */
const ENOUGH = 20

/** The result of a request: admitted, or rejected and why. */
export interface RequestResult {
  status: number | undefined
  refusal?: TributaryError
}

/** Sends requests with one key to several servers: ten at a time up to the limit, then one by one to each in turn. */
export async function requestInTurn(
  services: Service[],
  key: string,
  limit: number,
  extra: number,
): Promise<RequestResult[]> {
  const answers: RequestResult[] = []
  const send = async (index: number) => {
    const { url } = services[index % services.length] as Service
    const call = api(url, key).campaigns.list({ limit: 1 }).page()
    await call.then(
      () => answers.push({ status: 200 }),
      error => {
        if (!(error instanceof TributaryError)) throw error
        answers.push({ status: error.status, refusal: error })
      },
    )
  }
  for (let sent = 0; sent < limit; sent += 10)
    await Promise.all(Array.from({ length: 10 }, (_, index) => send(sent + index)))
  for (let index = 0; index < extra; index++) await send(index)
  return answers
}

export interface Revocation {
  /** How many requests were admitted before, and how long after the revocation the last one was sent. */
  accepted: number
  lastAcceptedAfterMs: number
  /** The responses to requests sent a second later. */
  lateStatuses: number[]
}

/** Revokes a key with the CLI while every server receives requests with it. */
export async function revokeUnderLoad(services: Service[], accountId: number, env: Env): Promise<Revocation> {
  const key = await newKey(accountId, env)
  const answers: { status: number; sentAt: number }[] = []
  let running = true
  const clients = [...services, ...services].map(async ({ url }) => {
    for (let sent = 0; running && sent < 5_000; sent++) {
      const sentAt = Date.now()
      answers.push({ status: await statusOf(api(url, key).campaigns.list({ limit: 1 }).page()), sentAt })
      if (PAUSE_MS > 0) await sleep(PAUSE_MS)
    }
  })
  const id = await keyId(accountId, key, env)
  await soon(() => answers.filter(({ status }) => status === 200).length > ENOUGH)
  const said = await must(['key', 'revoke', '--account', String(accountId), '--id', id], env)
  // The time in the database, which has the same clock: the command itself exits a little later.
  const revokedAt = Date.parse(/^Revoked API key .* at (\S+)\.$/m.exec(said)?.[1] ?? '')
  const ask = ({ url }: Service) => statusOf(api(url, key).payouts.list().page())
  await sleep(Math.max(0, revokedAt + 1_000 - Date.now()))
  const deadline = Date.now()
  for (let round = 0; round < 20; round++) await Promise.all(services.map(ask))
  running = false
  await Promise.all(clients)
  const accepted = answers.filter(({ status }) => status === 200)
  return {
    accepted: accepted.length,
    lastAcceptedAfterMs: Math.max(...accepted.map(({ sentAt }) => sentAt)) - revokedAt,
    lateStatuses: answers.filter(({ sentAt }) => sentAt >= deadline).map(({ status }) => status),
  }
}
