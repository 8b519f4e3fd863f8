import type { Tributary } from '@tributary/sdk'
import type { Browser } from 'playwright-core'
import { api } from './api.ts'
import { launchBrowser, newVisitor, type Visitor } from './browser.ts'
import { type MailServer, startMailServer } from './mail-server.ts'
import { must } from './program.ts'
import { type Service, serve } from './service.ts'
import { type Site, startSite } from './site.ts'
import { newDataDir } from './temporary.ts'

/** A domain of the company's own; the browser takes it for this machine. */
export const DOMAIN = 'partners.acme.test'
const PERSON = { email: 'owner@acme.example', password: 'correct horse battery' }

export interface PortalProgramme {
  service: Service
  dataDir: string
  browser: Browser
  /** Where every mail ends up. */
  post: MailServer
  /** Where links lead, and another website. */
  shop: Site
  elsewhere: Site
  client: Tributary
  /** The company's own browser, signed in to the dashboard. */
  owner: Visitor
  /** What the dashboard's pages call, by its owner. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails where it is not there.
  manage(method: string, path: string, body?: object): Promise<any>
  /** A campaign that anybody may join. */
  openCampaign(name: string): Promise<{ id: number }>
  /** A link to sign in, as the merchant's own site gets it. */
  magicLink(affiliateId: number): Promise<string>
  close(): Promise<void>
}

const campaign = (name: string, destination_url: string) => ({
  name,
  program_type: 'affiliate',
  payout_currency: 'USD',
  visibility: 'public',
  open_enrollment: true,
  attribution_model: 'last_click',
  attribution_window_days: 60,
  hold_days: 30,
  minimum_payout_minor: 0,
  review_referrals: false,
  look_back: true,
  destination_url,
  rewards: { commission: '15%', recurring_months: null },
})

/** Acme with its mail server, its shop, its owner in a browser, and the campaigns 1 and 2 that anybody may join. */
export async function startPortalProgramme(): Promise<PortalProgramme> {
  const dataDir = await newDataDir()
  const post = await startMailServer()
  const [shop, elsewhere] = await Promise.all([startSite(), startSite()])
  const env = {
    TRIBUTARY_DATA_DIR: dataDir,
    TRIBUTARY_SMTP_URL: post.url,
    TRIBUTARY_MAIL_FROM: 'Tributary <mail@tributary.example>',
  }
  const [service, browser] = await Promise.all([serve(env), launchBrowser(DOMAIN)])
  const person = ['--email', PERSON.email, '--password', PERSON.password]
  const created = await must(
    ['account', 'create', '--name', 'Acme', ...person, '--key-name', 'e2e', '--json'],
    env,
  )
  const { account_id, api_key: key } = JSON.parse(created) as { account_id: number; api_key: string }

  const owner = await newVisitor(browser)
  const headers = { origin: service.url }
  const session = `${service.url}/dashboard/api/session`
  await owner.context.request.post(session, { headers, data: PERSON })
  const { csrf_token } = await (await owner.context.request.get(session)).json()

  const manage: PortalProgramme['manage'] = async (method, path, data) => {
    const answer = await owner.context.request.fetch(
      `${service.url}/dashboard/api/accounts/${account_id}/${path}`,
      { method, headers: { ...headers, 'tributary-csrf': csrf_token }, ...(data && { data }) },
    )
    if (!answer.ok())
      throw new Error(`${method} ${path} was answered ${answer.status()}: ${await answer.text()}`)
    return answer.json()
  }
  const client = api(service.url, key)
  const openCampaign = (name: string) => manage('POST', 'campaigns', campaign(name, `${shop.url}/`))
  for (const name of ['Partners', 'Resellers']) await openCampaign(name)

  return {
    service,
    dataDir,
    browser,
    post,
    shop,
    elsewhere,
    client,
    owner,
    manage,
    openCampaign,
    magicLink: async id => (await client.affiliates.createMagicLink(id)).url,
    async close() {
      shop.close()
      elsewhere.close()
      await post.close()
    },
  }
}
