import { randomBytes } from 'node:crypto'
import type { Campaign } from '@tributary/contract'
import { type Env, must, type Place } from './program.ts'

export const lastLine = (text: string) => text.trimEnd().split('\n').at(-1) ?? ''

export interface Programme {
  accountId: number
  slug: string
  key: string
  campaignId: number
  /** The dashboard user. */
  owner: { email: string; password: string }
}

/** Creates an account, key and campaign with the CLI. The name is unique, because the database may be shared. */
export async function createProgramme(env: Env, place?: Place): Promise<Programme> {
  const name = `Company ${randomBytes(4).toString('hex')}`
  const owner = { email: `owner@${name.replace(' ', '-').toLowerCase()}.example`, password: 'correct horse' }
  const signIn = ['--email', owner.email, '--password', owner.password]
  const account = await must(
    ['account', 'create', '--name', name, ...signIn, '--key-name', 'e2e', '--json'],
    env,
    place,
  )
  const { account_id, slug, api_key } = JSON.parse(account) as Record<'slug' | 'api_key', string> & {
    account_id: number
  }
  const created = await must(
    ['campaign', 'create', '--account', String(account_id), '--name', 'Partners', '--json'],
    env,
    place,
  )
  const { id: campaignId } = JSON.parse(created) as Campaign
  return { accountId: account_id, slug, key: api_key, campaignId, owner }
}
