/** Protects "approval looks back" from kill -9: wherever it ends, each sale is paid once, and none is lost. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest'
import { lookBack } from '../../src/earning/conversions/look-back.ts'
import { noEmails } from '../../src/earning/conversions/suspicions-of.ts'
import { buildProgram } from '../build-program.ts'
import { buildAffiliate, unique } from '../factories.ts'
import { brokenInvariants, useSoundScene } from '../harness.ts'
import { convert, countRows, openCampaign } from './scene.ts'

const scene = useSoundScene()
const CUSTOMERS = 8

/** A step that the process stops at because another connection holds what it needs, and how many are credited by then. */
interface Step {
  held: string
  values: unknown[]
  credited: number
}

/** What the connections of a process are called, so that no other's are taken for them. */
const nameOf = (index: number) => `${scene.account.slug}-${index}`

async function spawnAll(count: number): Promise<ChildProcess[]> {
  const { file, remove } = await buildProgram(new URL('look-back-steps.ts', import.meta.url))
  const children = Array.from({ length: count }, (_, index) => {
    const connection = { ...scene.database.service, max: 2, connectionTimeoutMillis: 20_000 }
    const CONNECTION = JSON.stringify({ ...connection, application_name: nameOf(index) })
    const env = { PATH: process.env.PATH, NODE_ENV: 'test', CONNECTION }
    return spawn(process.execPath, [file], { env, stdio: ['pipe', 'inherit', 'inherit'] })
  })
  onTestFinished(async () => {
    for (const child of children) child.kill('SIGKILL')
    await remove()
  })
  return children
}

/** Only the administrator sees what others' connections wait for. */
const admin = new pg.Client(inject('postgres').admin)
beforeAll(() => admin.connect())
afterAll(() => admin.end())
const connections = async (index: number, condition: string) =>
  (
    await admin.query(`SELECT FROM pg_stat_activity WHERE application_name = $1 AND (${condition})`, [
      nameOf(index),
    ])
  ).rowCount

/** Kills the process once it waits for what is held. What it had sent by then, PostgreSQL may still carry out. */
async function killAt(child: ChildProcess, index: number, { held, values }: Step): Promise<void> {
  const blocker = await scene.database.owner.connect()
  try {
    await blocker.query('BEGIN')
    await blocker.query(held, values)
    child.stdin?.write('begin\n')
    await expect
      .poll(() => connections(index, `wait_event_type = 'Lock'`), { timeout: 60_000, interval: 10 })
      .toBe(1)
    child.kill('SIGKILL')
    const [, signal] = await once(child, 'exit')
    expect(signal).toBe('SIGKILL')
  } finally {
    await blocker.query('ROLLBACK')
    blocker.release()
  }
  // Otherwise the next process would wait for the locks of this one, and be killed before its step.
  await expect.poll(() => connections(index, 'true'), { timeout: 60_000, interval: 10 }).toBe(0)
}

it('kill -9 at four steps of it: each sale is paid once and none is lost', async () => {
  const starting = spawnAll(4)
  const campaign = await openCampaign(scene.database, scene.account.id)
  const affiliate = await buildAffiliate(scene.database, scene.account.id, campaign.id, {
    token: unique('token'),
  })
  const customers: { ref: string; sale: string }[] = []
  while (customers.length < CUSTOMERS) {
    const [ref, sale] = [unique('customer'), unique('sale')]
    const { status } = await convert(scene.api, {
      campaign_id: campaign.id,
      customer_ref: ref,
      token: affiliate.token,
      sale: { external_id: sale, amount_minor: 10_000, currency: 'USD' },
    })
    expect(status).toBe(200)
    customers.push({ ref, sale })
  }
  expect((await scene.api.patch(`/affiliates/${affiliate.id}`, { status: 'approved' })).status).toBe(200)
  const credited = () => countRows(scene, 'referrals', 'affiliate_id = $1', [affiliate.id])
  const paid = () => countRows(scene, 'commissions', 'affiliate_id = $1', [affiliate.id])

  const steps: Step[] = [
    // Before anything of a conversion is read.
    {
      held: 'SELECT pg_advisory_xact_lock(hashtextextended($1, $2))',
      values: [`customer:${customers[2]?.ref}`, scene.account.id],
      credited: 2,
    },
    // The referral is written, and its sale is not.
    {
      held: 'SELECT FROM sales WHERE external_id = $1 FOR NO KEY UPDATE',
      values: [customers[4]?.sale],
      credited: 4,
    },
    // Everything is written, and the commit is on its way.
    {
      held: `SELECT FROM pending_credits WHERE conversion_id = (SELECT id FROM conversions WHERE customer_ref = $1) FOR KEY SHARE`,
      values: [customers[6]?.ref],
      credited: 6,
    },
    // All are credited, and the note that there is something to do is left.
    {
      held: 'SELECT FROM look_backs WHERE affiliate_id = $1 FOR KEY SHARE',
      values: [affiliate.id],
      credited: CUSTOMERS,
    },
  ]
  const children = await starting
  for (const [index, step] of steps.entries()) {
    await killAt(children[index] as ChildProcess, index, step)
    expect(await credited()).toBeGreaterThanOrEqual(step.credited)
  }
  await lookBack(scene.database.db, noEmails, 60_000)

  expect([await credited(), await paid()]).toEqual([CUSTOMERS, CUSTOMERS])
  for (const { sale } of customers) {
    const ofSale = `sale_id = (SELECT id FROM sales WHERE external_id = $1) AND amount_minor = 2000 AND status = 'approved'`
    expect(await countRows(scene, 'commissions', ofSale, [sale])).toBe(1)
  }
  const eventCount = (kind: string, table: string) =>
    countRows(
      scene,
      'events',
      `kind = $1 AND subject_id IN (SELECT id FROM ${table} WHERE affiliate_id = $2)`,
      [kind, affiliate.id],
    )
  expect(await eventCount('conversion.created', 'referrals')).toBe(CUSTOMERS)
  expect(await eventCount('commission.created', 'commissions')).toBe(CUSTOMERS)
  expect(await countRows(scene, 'look_backs', 'affiliate_id = $1', [affiliate.id])).toBe(0)
  expect(await countRows(scene, 'pending_credits', 'affiliate_id = $1', [affiliate.id])).toBe(0)
  expect(await brokenInvariants(scene.database)).toEqual([])
})
