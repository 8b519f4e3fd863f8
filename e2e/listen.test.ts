import { type Tributary, verifyWebhook } from '@tributary/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { api } from './support/api.ts'
import { asOwner } from './support/embedded-sql.ts'
import { type Env, type Running, startTributary, tributary } from './support/program.ts'
import type { Programme } from './support/programme.ts'
import { startReceiver } from './support/recording-receiver.ts'
import { type Service, serve } from './support/service.ts'
import { preparedDataDir } from './support/shared.ts'
import { until } from './support/until.ts'

/** While a developer listens, events arrive at a local address; when the command ends, however it ends, so does the endpoint. */
let dataDir: string
let env: Env
let service: Service
let programme: Programme
let client: Tributary
let receiver: Awaited<ReturnType<typeof startReceiver>>

beforeAll(async () => {
  ;({ dataDir, programme } = await preparedDataDir())
  env = { TRIBUTARY_DATA_DIR: dataDir }
  service = await serve(env)
  client = api(service.url, programme.key)
  receiver = await startReceiver()
})
afterAll(() => receiver.close())

const endpoints = async () => (await client.webhookEndpoints.list().page()).data
const firstEndpoint = async () => (await endpoints())[0]?.id ?? expect.unreachable('there is no endpoint')

async function approveAffiliate(): Promise<number> {
  const email = `a-${Math.random()}@example.com`
  const { id } = await client.affiliates.create({ email, campaign_id: programme.campaignId })
  await client.affiliates.update(id, { status: 'approved' })
  return id
}

async function startListen(...args: string[]): Promise<Running & { secret: string }> {
  const program = startTributary(
    ['listen', '--account', programme.slug, '--forward', `${receiver.url}hooks?a=1`, ...args],
    env,
  )
  const secret = await until('it listens', () => /whsec_\S+/.exec(program.output.stdout)?.[0])
  return { ...program, secret }
}

describe('listen', () => {
  test('forwards each event, signed with the secret that it prints, and shows it', async () => {
    const program = await startListen()
    expect(program.output.stdout).toMatch(
      new RegExp(`^Forwarding events of ${programme.slug} to http://127\\.0\\.0\\.1:\\d+/hooks\\?a=1\\.`),
    )
    expect(await endpoints()).toMatchObject([{ url: `${receiver.url}hooks?a=1`, status: 'active' }])
    const id = await approveAffiliate()
    await until('the event arrives', () => receiver.received.length > 0)
    const { body, headers } = receiver.received[0] as (typeof receiver.received)[0]
    const event = await verifyWebhook(body, headers, program.secret)
    expect(event).toMatchObject({ type: 'promoter.approved', data: { id } })
    await until('it is shown', () => program.output.stdout.includes('promoter.approved'))
    expect(program.output.stdout).toMatch(
      new RegExp(`\\n\\d\\d:\\d\\d:\\d\\d  promoter\\.approved  ${event.id}  200  \\d+ ms\\n$`),
    )

    program.child.kill('SIGINT')
    expect(await program.ended).toBe(0)
    expect(program.output.stdout).toMatch(/\nEndpoint deleted\.\n$/)
    expect(program.output.stderr).toBe('')
    expect(await endpoints()).toEqual([])
  })

  test('with --events, forwards these alone', async () => {
    const program = await startListen('--events', 'payout.paid, commission.created')
    expect(await endpoints()).toMatchObject([{ events: ['payout.paid', 'commission.created'] }])
    program.child.kill('SIGTERM')
    expect(await program.ended).toBe(0)
    expect(await endpoints()).toEqual([])
  })

  test('shows what failed, and when it is tried again', async () => {
    const program = startTributary(['listen', '--account', '1', '--forward', 'http://127.0.0.1:1/'], env)
    await until('it listens', () => program.output.stdout.includes('whsec_'))
    await approveAffiliate()
    await until('it is shown', () => program.output.stdout.includes('promoter.approved'))
    expect(program.output.stdout).toMatch(
      /promoter\.approved {2}\d+ {2}.*ECONNREFUSED.* ms {2}retry at \d\d:\d\d:\d\d\n/,
    )
    program.child.kill('SIGINT')
    expect(await program.ended).toBe(0)
  })

  test('exits when its endpoint is deleted', async () => {
    const program = await startListen()
    await client.webhookEndpoints.delete(await firstEndpoint())
    expect(await program.ended).toBe(1)
    expect(program.output.stderr).toMatch(/^The endpoint was disabled or deleted/)
  })

  test('an endpoint whose command was killed goes with the next one', async () => {
    const killed = await startListen()
    const id = await firstEndpoint()
    killed.child.kill('SIGKILL')
    await killed.ended
    expect(await endpoints()).toMatchObject([{ id }])
    // What half a minute does.
    await asOwner(
      dataDir,
      `UPDATE webhook_endpoints SET listens_until = now() - interval '1 second' WHERE id = ${id}`,
    )
    const next = await startListen()
    expect((await endpoints()).map((one: { id: number }) => one.id)).toEqual([id + 1])
    next.child.kill('SIGINT')
    await next.ended
    expect(await endpoints()).toEqual([])
  })

  test.each([
    [
      'an account that is not there',
      ['--account', 'unknown', '--forward', 'http://localhost:1/'],
      /no such account/,
    ],
    ['no address', ['--account', '1', '--forward', 'localhost:4000'], /--forward must be an absolute/],
    [
      'an unknown event',
      ['--account', '1', '--forward', 'http://localhost:1/', '--events', 'x'],
      /Must be one or more of promoter/,
    ],
  ])('refuses %s', async (_, args, message) => {
    const { code, stdout, stderr } = await tributary(['listen', ...args], env)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(message)
    expect(await endpoints()).toEqual([])
  })

  test('explains how to allow a private address in production', async () => {
    const { code, stderr } = await tributary(['listen', '--account', '1', '--forward', receiver.url], {
      ...env,
      NODE_ENV: 'production',
    })
    expect(code).toBe(1)
    expect(stderr).toMatch(/TRIBUTARY_WEBHOOK_ALLOW_CIDRS=127\.0\.0\.0\/8.*\n--forward must use https/)
  })

  test('warns if nothing is running to deliver', async () => {
    await service.stop()
    const program = await startListen()
    await until('the warning', () => program.output.stderr.includes('is running on this database'))
    program.child.kill('SIGINT')
    expect(await program.ended).toBe(0)
  })
})
