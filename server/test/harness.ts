import type { AddressInfo } from 'node:net'
import pg from 'pg'
import pino from 'pino'
import { afterAll, beforeAll, expect, inject } from 'vitest'
import { baseUrl, readSettings } from '../src/config.ts'
import { Database } from '../src/db/database.ts'
import { buildApp } from '../src/http/app.ts'
import { setLargestAmount } from '../src/kit/largest-amount.ts'
import { SecretBox } from '../src/kit/secret-box.ts'
import { ledgerInvariants } from '../src/money/ledger/invariants.ts'
import { checkedResponse, wrongResults } from './checked-response.ts'
import { TestClient } from './client.ts'
import { buildAccount, buildAffiliate, buildCampaign, type Place, type TestAccount } from './factories.ts'
import { TEMPLATE } from './template-database.ts'

export const TEST_SECRET_KEY = 'a secret key that only the tests know'

export interface TestDatabase {
  /** Connected as the service connects: with no more rights than it has. */
  db: Database
  /** Connected as the owner of the tables, to set up what the service itself cannot write yet. */
  owner: pg.Pool
  service: pg.ClientConfig
  drop(): Promise<void>
}

/** A separate database for a test file, copied from the migrated template. */
export async function createDatabase(): Promise<TestDatabase> {
  const server = inject('postgres')
  const database = `test_${process.pid}_${Math.random().toString(36).slice(2)}`
  const admin = new pg.Client(server.admin)
  await admin.connect()
  // Where nothing has to reach the disk, copying files takes half as long as writing them to the log.
  await admin.query(
    `CREATE DATABASE ${database} TEMPLATE ${TEMPLATE} OWNER ${server.owner.user} STRATEGY FILE_COPY`,
  )
  const service = { ...server.service, database }
  const db = new Database(service, error => {
    throw error
  })
  const owner = new pg.Pool({ ...server.owner, database, max: 4 })
  return {
    db,
    owner,
    service,
    async drop() {
      await db.close()
      await owner.end()
      // Without FORCE: a connection that a test left open is a leak, and fails here.
      await admin.query(`DROP DATABASE ${database}`)
      await admin.end()
    },
  }
}

export interface TestApp {
  url: string
  database: TestDatabase
  services: Parameters<typeof buildApp>[0]['services']
  /** Closes the app alone; its database goes with `drop`. */
  close(): Promise<void>
}

/** The whole HTTP side on a real port, over the given database. */
export async function startApp(database: TestDatabase, env: NodeJS.ProcessEnv = {}): Promise<TestApp> {
  const settings = readSettings({
    NODE_ENV: 'test',
    TRIBUTARY_RATE_LIMIT_PER_MINUTE: '1000000',
    TRIBUTARY_MAX_WEBHOOK_ENDPOINTS: '10000',
    ...env,
  })
  setLargestAmount(settings.TRIBUTARY_MAX_AMOUNT_MINOR)
  const services = {
    db: database.db,
    secrets: new SecretBox(TEST_SECRET_KEY),
    settings,
    baseUrl: baseUrl({ ...settings, TRIBUTARY_BASE_URL: 'https://programme.example' }),
  }
  const app = await buildApp({
    services,
    log: pino({ level: process.env.TEST_LOG_LEVEL ?? 'fatal' }),
    writer: checkedResponse,
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, database, services, close: () => app.close() }
}

/** What most test files need: an app on a separate database, and an account with a campaign and an affiliate in it. */
export interface Scene {
  database: TestDatabase
  app: TestApp
  account: TestAccount
  api: TestClient
  place: Place
}

const shared = new Map<string, Promise<TestApp>>()

/** The worker's app with these settings, over a database that many files share: making both takes longer than most files. */
async function sharedApp(kind: 'any' | 'sound', env: NodeJS.ProcessEnv): Promise<TestApp> {
  const key = JSON.stringify([inject('postgres').admin.host, kind, env])
  const starting = shared.get(key) ?? createDatabase().then(database => startApp(database, env))
  shared.set(key, starting)
  const app = await starting
  // The one setting of a process and not of an app: another file may have changed it.
  setLargestAmount(app.services.settings.TRIBUTARY_MAX_AMOUNT_MINOR)
  return app
}

function setScene(start: () => Promise<TestApp>): Scene {
  const scene = {} as Scene
  beforeAll(async () => {
    const app = await start()
    const { database } = app
    // First, so that an own database is dropped also where the rest fails.
    Object.assign(scene, { app, database })
    const account = await buildAccount(database)
    const campaign = await buildCampaign(database, account.id)
    const affiliate = await buildAffiliate(database, account.id, campaign.id)
    const place = { account_id: account.id, campaign_id: campaign.id, affiliate_id: affiliate.id }
    Object.assign(scene, { account, place, api: new TestClient(app.url, account.key) })
  })
  afterAll(() => expect(wrongResults.splice(0)).toEqual([]))
  return scene
}

function setSharedScene(kind: 'any' | 'sound', env: NodeJS.ProcessEnv): Scene {
  const scene = setScene(() => sharedApp(kind, env))
  afterAll(async () => {
    // Exchange rates belong to no account and affect all of them: a file that sets one needs its own scene.
    expect((await scene.database.owner.query('SELECT FROM fx_rates')).rowCount).toBe(0)
  })
  return scene
}

/** Sets the scene for the tests of a file, which keep to its account: in the same database are the accounts of other files. */
export const useScene = (env: NodeJS.ProcessEnv = {}) => setSharedScene('any', env)

/** A scene beside files that all leave the ledger whole, so that each can ask the doctor, who looks at every account. */
export function useSoundScene(env: NodeJS.ProcessEnv = {}): Scene {
  const scene = setSharedScene('sound', env)
  afterAll(async () => expect(await brokenInvariants(scene.database)).toEqual([]))
  return scene
}

/** What `tributary doctor` finds wrong with the money: nothing, ever. */
export async function brokenInvariants({ db }: TestDatabase): Promise<string[]> {
  const found = await Promise.all(Object.values(ledgerInvariants).map(invariant => invariant(db)))
  return found.flat()
}

/** A scene alone in its database, for what the service does for all accounts at once. */
export function useOwnScene(env: NodeJS.ProcessEnv = {}): Scene {
  const scene = setScene(async () => startApp(await createDatabase(), env))
  afterAll(async () => {
    // Where setting up failed half-way, the failure itself is what should be read.
    await scene.app?.close()
    await scene.database?.drop()
  })
  return scene
}
