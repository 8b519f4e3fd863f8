import { request } from 'node:http'
import type { Affiliate, Campaign } from '@tributary/contract'
import { afterAll, beforeAll, expect } from 'vitest'
import { buildAccount, buildAffiliate, buildCampaign, type TestAccount } from '../factories.ts'
import { createDatabase, startApp, type TestApp, type TestDatabase } from '../harness.ts'

export const DESTINATION = 'https://shop.example/start?plan=a%20b&flag#prices'
export const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

export interface TrackingScene {
  database: TestDatabase
  app: TestApp
  account: TestAccount
  /** Leads to DESTINATION; the affiliate's first enrolment. */
  campaign: Campaign
  affiliate: Affiliate & { token: string }
}

/** An account whose campaign leads somewhere, with an affiliate in it. */
export function useTracking(env: NodeJS.ProcessEnv = {}): TrackingScene {
  const scene = {} as TrackingScene
  beforeAll(async () => {
    const database = await createDatabase()
    scene.database = database
    scene.app = await startApp(database, env)
    scene.account = await buildAccount(database)
    scene.campaign = await buildCampaign(database, scene.account.id, { destination_url: DESTINATION })
    const affiliate = await buildAffiliate(database, scene.account.id, scene.campaign.id)
    Object.assign(scene, { affiliate })
  })
  afterAll(async () => {
    await scene.app?.close()
    await scene.database?.drop()
  })
  return scene
}

export interface Followed {
  status: number
  location: URL | undefined
  clickId: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails where it is not there.
  body: any
}

/** Follows a link as a browser does, up to the redirect. */
export async function follow(
  { app }: Pick<TrackingScene, 'app'>,
  path: string,
  headers: Record<string, string> = {},
): Promise<Followed> {
  const answer = await fetch(`${app.url}${path}`, {
    redirect: 'manual',
    headers: { 'user-agent': BROWSER, ...headers },
  })
  const text = await answer.text()
  const address = answer.headers.get('location')
  const location = address === null ? undefined : new URL(address)
  return {
    status: answer.status,
    location,
    clickId: Number(location?.searchParams.get('click_id')),
    headers: answer.headers,
    body: text ? JSON.parse(text) : undefined,
  }
}

/** The link of the scene's affiliate. */
export const linkOf = ({ account, affiliate }: TrackingScene, rest = '') =>
  `/r/${account.slug}/${affiliate.token}${rest}`

/** A click as it is on the disk, in the words of the database. */
export async function clickRow({ database }: Pick<TrackingScene, 'database'>, id: number) {
  const { rows } = await database.owner.query(
    'SELECT *, tableoid::regclass::text AS partition FROM clicks WHERE id = $1',
    [id],
  )
  expect(rows).toHaveLength(1)
  return rows[0]
}

export async function countClicks({ database }: Pick<TrackingScene, 'database'>): Promise<number> {
  return (await database.owner.query('SELECT count(*)::integer AS n FROM clicks')).rows[0].n
}

/** Node's own client: fetch sets an Origin and a content type as it likes. */
export function beacon(
  { app }: Pick<TrackingScene, 'app'>,
  body: unknown,
  headers: Record<string, string> = {},
  { method = 'POST', path = '/t/clicks' } = {},
): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: ReturnType<typeof JSON.parse> }> {
  const bytes =
    typeof body === 'string' || Buffer.isBuffer(body) ? Buffer.from(body) : Buffer.from(JSON.stringify(body))
  return new Promise((resolve, reject) => {
    const sent = request(`${app.url}${path}`, {
      method,
      headers: {
        'user-agent': BROWSER,
        'content-type': 'text/plain;charset=UTF-8',
        'content-length': bytes.length,
        ...headers,
      },
    })
    sent.on('error', reject)
    sent.on('response', async answer => {
      const chunks: Buffer[] = []
      for await (const chunk of answer) chunks.push(chunk)
      const text = Buffer.concat(chunks).toString()
      resolve({
        status: answer.statusCode ?? 0,
        headers: answer.headers,
        body: text ? JSON.parse(text) : undefined,
      })
    })
    sent.end(bytes)
  })
}

export const errorOf = (code: string) => ({ error: { code, message: expect.stringMatching(/\S/) } })
