import {
  type PortalBody,
  type PortalQuery,
  type PortalRouteId,
  portalRoutes,
} from '@tributary/contract/portal'
import { expect } from 'vitest'
import { mintMagicLink } from '../../src/programme/magic-links/mint-magic-link.ts'
import type { Answer } from '../client.ts'
import type { TestAccount } from '../factories.ts'
import type { Scene, TestApp } from '../harness.ts'

let browsers = 0

type Headers = Record<string, string | undefined>

export interface PortalInput<Id extends PortalRouteId> {
  id?: number | string
  query?: Partial<PortalQuery<Id>> | Record<string, unknown>
  body?: PortalBody<Id> | Record<string, unknown>
  headers?: Headers
}

/** The page a sign-in link leads to, below the portal. */
const pathOf = (link: string) => new URL(link).pathname

/** A browser on an account's portal with its own IP address: keeps cookies and sends what our pages send. */
export class PortalBrowser {
  readonly app: TestApp
  readonly slug: string
  readonly address = `198.18.${++browsers >> 8}.${browsers & 255}`
  cookies = new Map<string, string>()
  csrf = ''

  constructor(app: TestApp, slug: string) {
    this.app = app
    this.slug = slug
  }

  /** Signs in by a link as a merchant's own site hands it out. */
  static async signIn(
    { app, account }: { app: TestApp; account: Pick<TestAccount, 'id' | 'slug'> },
    affiliateId: number,
  ): Promise<PortalBrowser> {
    const browser = new PortalBrowser(app, account.slug)
    const { url } = await mintMagicLink(app.services, account.id, affiliateId)
    expect((await browser.post(pathOf(url))).status).toBe(303)
    await browser.me()
    return browser
  }

  /** Asks for any path of the service, and follows no redirect. */
  async send(method: string, path: string, headers: Headers = {}, body?: string): Promise<Answer> {
    const all: Headers = {
      origin: this.app.url,
      'x-forwarded-for': this.address,
      cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      ...headers,
    }
    const response = await fetch(`${this.app.url}${path}`, {
      method,
      redirect: 'manual',
      headers: Object.fromEntries(
        Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined),
      ),
      ...(body !== undefined && { body }),
    })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    const text = Buffer.from(await response.arrayBuffer()).toString('latin1')
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    const decoded = Buffer.from(text, 'latin1').toString('utf8')
    return {
      status: response.status,
      headers: response.headers,
      text: decoded,
      body: isJson ? JSON.parse(decoded) : Buffer.from(text, 'latin1'),
    }
  }

  #keep(line: string): void {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) as unknown as [string, string, string]
    if (/Max-Age=0/.test(line)) this.cookies.delete(name)
    else this.cookies.set(name, value)
  }

  get = (path: string, headers: Headers = {}) => this.send('GET', path, headers)
  /** Presses the button of a page. */
  post = (path: string, headers: Headers = {}) => this.send('POST', path, headers)

  call<Id extends PortalRouteId>(route: Id, input: PortalInput<Id> = {}): Promise<Answer> {
    const [method, path] = portalRoutes[route]
    const query = new URLSearchParams(
      Object.entries(input.query ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
    )
    const place = `${path.replace('{id}', String(input.id))}${query.size > 0 ? `?${query}` : ''}`
    const headers = {
      'tributary-csrf': this.csrf,
      ...(method !== 'GET' && { 'content-type': 'application/json' }),
      ...input.headers,
    }
    const body = method === 'GET' ? undefined : JSON.stringify(input.body ?? {})
    return this.send(method, `/portal/${this.slug}/api/${place}`, headers, body)
  }

  /** What a call gives, where it has to succeed. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails where it is not there.
  async ask<Id extends PortalRouteId>(route: Id, input: PortalInput<Id> = {}): Promise<any> {
    const { status, body, text } = await this.call(route, input)
    expect([route, status, status === 200 ? '' : text]).toEqual([route, 200, ''])
    return body
  }

  /** The signed-in affiliate; 401 if there is none. */
  async me(): Promise<Answer> {
    const answer = await this.call('getMe')
    if (answer.status === 200) this.csrf = answer.body.csrf_token
    return answer
  }
}

/** A link to sign in, as its path. */
export const linkFor = async (
  { app, account }: Pick<Scene, 'app' | 'account'>,
  affiliateId: number,
): Promise<string> => pathOf((await mintMagicLink(app.services, account.id, affiliateId)).url)
