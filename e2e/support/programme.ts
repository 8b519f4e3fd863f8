import type { Campaign } from '@tributary/contract'
import { type Env, must, type Place } from './program.ts'

export const lastLine = (text: string) => text.trimEnd().split('\n').at(-1) ?? ''

export interface Programme {
  accountId: number
  key: string
  campaignId: number
}

let counter = 0

/** Account, key and campaign by the commands that a newcomer uses. */
export async function createProgramme(env: Env, place?: Place): Promise<Programme> {
  const name = `Company ${++counter}`
  const owner = ['--email', `owner-${counter}@example.com`, '--password', 'correct horse']
  const account = await must(
    ['account', 'create', '--name', name, ...owner, '--key-name', 'e2e', '--json'],
    env,
    place,
  )
  const { account_id, api_key } = JSON.parse(account) as { account_id: number; api_key: string }
  const created = await must(
    ['campaign', 'create', '--account', String(account_id), '--name', 'Partners', '--json'],
    env,
    place,
  )
  return { accountId: account_id, key: api_key, campaignId: (JSON.parse(created) as Campaign).id }
}
