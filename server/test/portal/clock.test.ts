/** Row 21: no step of the process's clock revives a sign-in link or a session, or ends one early. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { reportMeasurement } from '../../../testing/size.ts'
import { csrfToken } from '../../src/kit/tokens.ts'
import { buildAffiliate } from '../factories.ts'
import { useOwnScene } from '../harness.ts'

const scene = useOwnScene({ TRIBUTARY_TRUST_PROXY: 'true' })
const HOUR_MS = 60 * 60_000
const STEPS_MS = [-HOUR_MS, HOUR_MS, -24 * HOUR_MS, -365 * 24 * HOUR_MS, 365 * 24 * HOUR_MS]
afterEach(() => vi.useRealTimers())

/** Moves the clock of this process, not the database's, and nothing but the date: connections go on as they are. */
const stepClock = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
const portal = () => `${scene.app.url}/portal/${scene.account.slug}`

async function newLink(): Promise<string> {
  const { id } = await buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id)
  const { body } = await scene.api.post(`/affiliates/${id}/magic_link`)
  return body.url.split('/').at(-1)
}

let visitors = 0
/** Presses the button behind the link, each time from another address; the session's name, or the status of the refusal. */
async function enter(token: string): Promise<string | number> {
  const response = await fetch(`${portal()}/sign-in/${token}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'x-forwarded-for': `198.51.100.${++visitors}` },
  })
  const [, session] = /=([\w-]{43});/.exec(response.headers.get('set-cookie') ?? '') ?? []
  return session ?? response.status
}

async function getIn(): Promise<string> {
  const session = await enter(await newLink())
  expect(session).toEqual(expect.any(String))
  return session as string
}

const ask = (session: string, method = 'GET', path = 'me', body?: object) =>
  fetch(`${portal()}/api/${path}`, {
    method,
    headers: {
      cookie: `portal-${scene.account.slug}=${session}`,
      origin: scene.app.url,
      'tributary-csrf': csrfToken(session),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })

/** The responses at every position of the clock. */
async function atEveryStep<T>(work: () => Promise<T>): Promise<T[]> {
  const answers: T[] = []
  for (const step of STEPS_MS) {
    stepClock(step)
    answers.push(await work())
    vi.useRealTimers()
  }
  return answers
}

function tellRevived(what: string, answers: (string | number)[], refusal: number): void {
  const revived = answers.filter(answer => answer !== refusal).length
  reportMeasurement({
    row: 21,
    what: `${what} revived by ${answers.length} steps`,
    value: revived,
    bar: '0',
    holds: !revived,
  })
  expect(answers).toEqual(answers.map(() => refusal))
}

const expire = (table: 'magic_links' | 'portal_sessions') =>
  scene.database.owner.query(
    `UPDATE ${table} SET expires_at = now() - interval '1 second' WHERE account_id = $1`,
    [scene.account.id],
  )

describe('a sign-in link', () => {
  it('that is too old stays so', async () => {
    const token = await newLink()
    await expire('magic_links')
    tellRevived('links too old', await atEveryStep(() => enter(token)), 410)
  })

  it('that was used stays so', async () => {
    const token = await newLink()
    expect(await enter(token)).toEqual(expect.any(String))
    tellRevived('links used', await atEveryStep(() => enter(token)), 410)
  })

  it('that is good is good, and lasts as long as it says, wherever the clock was when it was made', async () => {
    const tokens = await atEveryStep(newLink)
    const { rows } = await scene.database.owner.query(
      `SELECT count(*)::integer AS count FROM magic_links
        WHERE used_at IS NULL AND expires_at BETWEEN now() + interval '800 s' AND now() + interval '900 s'`,
    )
    expect(rows[0].count).toBe(tokens.length)
    for (const [index, token] of tokens.entries()) {
      stepClock(STEPS_MS[index] as number)
      expect(await enter(token)).toEqual(expect.any(String))
      vi.useRealTimers()
    }
  })
})

describe('a session', () => {
  it('that has ended stays so', async () => {
    const session = await getIn()
    await expire('portal_sessions')
    tellRevived('sessions ended', await atEveryStep(async () => (await ask(session)).status), 401)
  })

  it('that was signed out stays so', async () => {
    const session = await getIn()
    expect((await ask(session, 'DELETE', 'session')).status).toBe(200)
    tellRevived('sessions signed out', await atEveryStep(async () => (await ask(session)).status), 401)
  })

  it('goes on through every step', async () => {
    const session = await getIn()
    const statuses = await atEveryStep(async () => (await ask(session)).status)
    expect(statuses).toEqual(statuses.map(() => 200))
  })

  it('is not fresh again: where the money goes cannot be changed long after signing in', async () => {
    const session = await getIn()
    await scene.database.owner.query("UPDATE portal_sessions SET created_at = now() - interval '16 minutes'")
    const change = async () =>
      (await ask(session, 'POST', 'me/paypal', { paypal_email: 'thief@example.com' })).status
    tellRevived('fresh sign-ins', await atEveryStep(change), 403)
  })
})
