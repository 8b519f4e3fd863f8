import { randomBytes } from 'node:crypto'
import type { CreateAffiliate, Tributary } from '@tributary/sdk'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { api } from './api.ts'
import { newVisitor, type Visitor } from './browser.ts'
import { loaded } from './pages.ts'
import { must } from './program.ts'
import { sharedService } from './shared.ts'
import type { SharedService } from './shared-parts.ts'
import { type Site, startSite } from './site.ts'

const PASSWORD = 'correct horse battery'

/** The user agent of a person: headless browsers count as bots. */
export const PERSON = {
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/143.0.0.0 Safari/537.36',
}

export interface PortalProgramme {
  service: SharedService
  accountId: number
  slug: string
  /** Where the portal is. */
  portal: string
  /** The company's custom domain, which the browser resolves to this machine. */
  domain: string
  /** The links' destination, and another website. */
  shop: Site
  elsewhere: Site
  client: Tributary
  /** Two campaigns with open enrolment. */
  partners: number
  resellers: number
  /** A unique email address. */
  address(name: string): string
  /** Creates an approved affiliate of the first campaign. Returns its id. */
  affiliate(name: string, details?: Partial<CreateAffiliate>): Promise<number>
  /** The company's own browser, signed in to the dashboard. */
  owner: Visitor
  /** Calls the dashboard API as the owner. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the fields it expects.
  manage(method: string, path: string, body?: object): Promise<any>
  /** Creates a campaign with open enrolment. */
  openCampaign(name: string): Promise<number>
  /** A sign-in link, as the merchant's site gets it. */
  magicLink(affiliateId: number): Promise<string>
  /** A new visitor, whose pages must not have script errors or requests to other hosts. */
  visitor(options?: Parameters<typeof newVisitor>[0]): Promise<Visitor>
  /** Opens a portal page and waits until it has loaded. */
  go(tab: Page, page: string): Promise<void>
  /** Asserts that there were no requests to other hosts and no script errors. */
  expectNothingForeign(): void
  close(): void
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

export const heading = (tab: Page, name: string | RegExp): Locator =>
  tab.getByRole('heading', { level: 1, name })

export const press = (where: Page | Locator, name: string): Promise<void> =>
  where.getByRole('button', { name, exact: true }).click()

/** The first link in an email. */
export const linkIn = (text: string): string =>
  /https?:\/\/\S+\/(?:enter|confirm)\/[\w-]{43}/.exec(text)?.[0] as string

/** Acme in the shared service, with its shop, and its owner signed in to a browser. */
export async function startPortalProgramme(
  ownerOptions: Parameters<typeof newVisitor>[0] = {},
): Promise<PortalProgramme> {
  const [service, shop, elsewhere] = await Promise.all([sharedService(), startSite(), startSite()])
  const slug = `acme-${randomBytes(4).toString('hex')}`
  const address = (name: string) => `${name}@${slug}.example`
  const signIn = { email: address('owner'), password: PASSWORD }
  const person = ['--email', signIn.email, '--password', PASSWORD]
  const created = await must(
    ['account', 'create', '--name', 'Acme', '--slug', slug, ...person, '--key-name', 'e2e', '--json'],
    service.env,
  )
  const { account_id: accountId, api_key: key } = JSON.parse(created) as {
    account_id: number
    api_key: string
  }

  const visitors: Visitor[] = []
  const visitor: PortalProgramme['visitor'] = async (options = {}) => {
    const made = await newVisitor({ ...PERSON, ...options })
    visitors.push(made)
    return made
  }
  const owner = await visitor(ownerOptions)
  const headers = { origin: service.url }
  const session = `${service.url}/dashboard/api/session`
  await owner.context.request.post(session, { headers, data: signIn })
  const { csrf_token } = await (await owner.context.request.get(session)).json()
  const manage: PortalProgramme['manage'] = async (method, path, data) => {
    const answer = await owner.context.request.fetch(
      `${service.url}/dashboard/api/accounts/${accountId}/${path}`,
      { method, headers: { ...headers, 'tributary-csrf': csrf_token }, ...(data && { data }) },
    )
    if (!answer.ok()) throw new Error(`${method} ${path} returned ${answer.status()}: ${await answer.text()}`)
    return answer.json()
  }
  const openCampaign = async (name: string): Promise<number> =>
    (await manage('POST', 'campaigns', campaign(name, `${shop.url}/`))).id
  const client = api(service.url, key)
  const [partners, resellers] = [await openCampaign('Partners'), await openCampaign('Resellers')]
  const portal = `${service.url}/portal/${slug}`
  const domain = `partners.${slug}.test`

  return {
    service,
    accountId,
    slug,
    portal,
    domain,
    shop,
    elsewhere,
    client,
    partners,
    resellers,
    address,
    owner,
    manage,
    openCampaign,
    visitor,
    async affiliate(name, details) {
      const affiliate = { email: address(name), name, token: name, campaign_id: partners, ...details }
      const { id } = await client.affiliates.create(affiliate)
      await client.affiliates.update(id, { status: 'approved' })
      return id
    },
    magicLink: async id => (await client.affiliates.createMagicLink(id)).url,
    async go(tab, page) {
      await tab.goto(`${portal}/${page}`)
      await loaded(tab)
    },
    expectNothingForeign() {
      const own = [service.url, shop.url, elsewhere.url, `http://${domain}:`]
      for (const { requests, errors } of visitors) {
        const foreign = requests.filter(url => !own.some(each => url.startsWith(each)))
        expect(foreign.filter(url => !/^(data|blob):/.test(url))).toEqual([])
        expect(errors).toEqual([])
      }
    },
    close() {
      shop.close()
      elsewhere.close()
    },
  }
}
