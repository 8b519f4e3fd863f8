import { type CreateAffiliate, type Tributary, verifyWebhook } from '@tributary/sdk'
import { expect } from 'vitest'
import { api } from './api.ts'
import { type Env, must, tributary } from './program.ts'
import { createProgramme, type Programme } from './programme.ts'
import { startReceiver } from './recording-receiver.ts'
import { type Service, serve } from './service.ts'
import { preparedDataDir } from './shared.ts'
import { newDataDir } from './temporary.ts'
import { until } from './until.ts'

export interface PayoutProgramme {
  /** The environment of commands, including the data directory. */
  env: Env
  dataDir: string
  service: Service
  programme: Programme
  client: Tributary
  key: string
  campaignId: number
  /** The options for the account and the campaign. */
  account: string[]
  campaign: string[]
  /** Runs a command for the account; returns its output, or its output parsed as JSON. */
  run(...args: string[]): Promise<string>
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the fields it expects.
  runJson(...args: string[]): Promise<any>
  /** The error message of a command for the account that fails with nothing on standard output. */
  refusal(...args: string[]): Promise<string>
  /** Creates an approved affiliate with this token and a first sale that earns a fifth. Returns its id. */
  earner(token: string, saleMinor: number, details?: Partial<CreateAffiliate>): Promise<number>
  /** The event of a payout, once it has been received with a valid signature. */
  paidEvent(payoutId: number): Promise<unknown>
  close(): Promise<void>
}

/** A service with these settings, on a prepared database or on one without an account. */
async function startService(settings: Env) {
  const prepared = settings.DATABASE_URL ? undefined : await preparedDataDir()
  const dataDir = prepared?.dataDir ?? (await newDataDir())
  const env = { ...settings, TRIBUTARY_DATA_DIR: dataDir }
  const service = await serve(env)
  return { dataDir, env, service, programme: prepared?.programme ?? (await createProgramme(env)) }
}

/** A running service with a campaign that pays a fifth without a hold, a minimum payout of ten dollars, and a receiver of its events. */
export async function startPayoutProgramme(settings: Env = {}): Promise<PayoutProgramme> {
  const { dataDir, env, service, programme } = await startService(settings)
  const { accountId, key } = programme
  const account = ['--account', String(accountId)]
  const run = (...args: string[]) => must([...args, ...account], env)
  const runJson = async (...args: string[]) => JSON.parse(await run(...args, '--json'))
  const terms = ['--name', 'Paid at once', '--hold-days', '0', '--minimum-payout-minor', '1000']
  const { id: campaignId } = await runJson('campaign', 'create', ...terms)
  const client = api(service.url, key)
  const receiver = await startReceiver()
  const { secret } = await client.webhookEndpoints.create({
    url: receiver.url,
    events: ['payout.paid', 'commission.created'],
  })

  async function refusal(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await tributary([...args, ...account], env)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    return stderr
  }

  async function earner(
    token: string,
    saleMinor: number,
    details: Partial<CreateAffiliate> = {},
  ): Promise<number> {
    const person = { email: `${token}@example.com`, campaign_id: campaignId, token, ...details }
    const { id } = await client.affiliates.create(person)
    await client.affiliates.update(id, { status: 'approved' })
    const sale = { external_id: `sale-${token}`, amount_minor: saleMinor, currency: 'USD' }
    const conversion = { campaign_id: campaignId, customer_ref: `customer-${token}`, token, sale }
    const { status } = await client.conversions.create(conversion).withResponse()
    if (status !== 201) throw new Error(`The sale returned ${status}.`)
    return id
  }

  async function paidEvent(payoutId: number): Promise<unknown> {
    const isIt = (body: string) => {
      const { type, data } = JSON.parse(body)
      return type === 'payout.paid' && data.id === payoutId
    }
    const find = () => receiver.received.find(({ body }) => isIt(body))
    const { body, headers } = await until(`the event of payout ${payoutId}`, find)
    return verifyWebhook(body, headers, secret)
  }

  const campaign = ['--campaign', String(campaignId)]
  const close = () => receiver.close()
  return {
    env,
    dataDir,
    service,
    programme,
    client,
    key,
    campaignId,
    account,
    campaign,
    run,
    runJson,
    refusal,
    earner,
    paidEvent,
    close,
  }
}
