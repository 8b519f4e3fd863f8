import { verifyWebhook } from '@tributary/sdk'
import { type Api, api } from './api.ts'
import { type Env, must } from './program.ts'
import { createProgramme } from './programme.ts'
import { startReceiver } from './recording-receiver.ts'
import { type Service, serve } from './service.ts'
import { until } from './until.ts'

export interface PayoutProgramme {
  service: Service
  call: Api
  key: string
  campaignId: number
  /** Options that name the account, and the campaign. */
  account: string[]
  campaign: string[]
  /** Runs a command for the account; what it printed, and the same read as JSON. */
  run(...args: string[]): Promise<string>
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails where it is not there.
  runJson(...args: string[]): Promise<any>
  /** An approved affiliate of this token, whose first sale earns it a fifth. Gives its id. */
  earner(token: string, saleMinor: number, details?: object): Promise<number>
  /** The event that tells of a payout, once it has come in and its signature is right. */
  paidEvent(payoutId: number): Promise<unknown>
  close(): Promise<void>
}

/** A running service with a campaign that pays a fifth at once, from ten dollars on, and a receiver of its events. */
export async function startPayoutProgramme(env: Env): Promise<PayoutProgramme> {
  const service = await serve(env)
  const { accountId, key } = await createProgramme(env)
  const account = ['--account', String(accountId)]
  const run = (...args: string[]) => must([...args, ...account], env)
  const runJson = async (...args: string[]) => JSON.parse(await run(...args, '--json'))
  const terms = ['--name', 'Paid at once', '--hold-days', '0', '--minimum-payout-minor', '1000']
  const { id: campaignId } = await runJson('campaign', 'create', ...terms)
  const call = api(service.url, key)
  const receiver = await startReceiver()
  const endpoint = { url: receiver.url, events: ['payout.paid', 'commission.created'] }
  const { secret } = (await call('POST', '/webhook_endpoints', endpoint)).body

  async function earner(token: string, saleMinor: number, details: object = {}): Promise<number> {
    const person = { email: `${token}@example.com`, campaign_id: campaignId, token, ...details }
    const { id } = (await call('POST', '/affiliates', person)).body
    await call('PATCH', `/affiliates/${id}`, { status: 'approved' })
    const sale = { external_id: `sale-${token}`, amount_minor: saleMinor, currency: 'USD' }
    const response = await fetch(`${service.url}/ingest/v1/conversions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ campaign_id: campaignId, customer_ref: `customer-${token}`, token, sale }),
    })
    if (response.status !== 201) throw new Error(`The sale was answered ${response.status}.`)
    return id
  }

  async function paidEvent(payoutId: number): Promise<unknown> {
    const isIt = (body: string) => {
      const { type, data } = JSON.parse(body)
      return type === 'payout.paid' && data.id === payoutId
    }
    const find = () => receiver.received.find(({ body }) => isIt(body))
    const { body, headers } = await until(`the event of payout ${payoutId}`, 10_000, find)
    return verifyWebhook(body, headers, secret)
  }

  const campaign = ['--campaign', String(campaignId)]
  const close = () => receiver.close()
  return { service, call, key, campaignId, account, campaign, run, runJson, earner, paidEvent, close }
}
