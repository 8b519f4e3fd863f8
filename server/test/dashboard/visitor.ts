import type { SessionInfo } from '@tributary/contract/dashboard'
import { ask } from '../ask.ts'
import type { Answer } from '../client.ts'

let visitors = 0

/** A browser with its own IP address: it keeps its cookies, and sends what our page would. */
export class Visitor {
  readonly #url: string
  readonly address: string
  cookies = new Map<string, string>()
  csrf = ''

  constructor(url: string, address = `198.51.${++visitors >> 8}.${visitors & 255}`) {
    this.#url = url
    this.address = address
  }

  async send(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body: unknown = {},
    headers: Record<string, string | undefined> = {},
  ): Promise<Answer> {
    const all = {
      origin: this.#url,
      'x-forwarded-for': this.address,
      'tributary-csrf': this.csrf,
      cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      ...(method !== 'GET' && { 'content-type': 'application/json' }),
      ...headers,
    }
    const response = await ask(`${this.#url}/dashboard/api/${path}`, {
      method,
      headers: Object.fromEntries(
        Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined),
      ),
      ...(method !== 'GET' && { body: JSON.stringify(body) }),
    })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    return { ...response, body: JSON.parse(response.text) }
  }

  #keep(line: string): void {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) as unknown as [string, string, string]
    if (/Max-Age=0/.test(line)) this.cookies.delete(name)
    else this.cookies.set(name, value)
  }

  signIn = (email: string, password: string) => this.send('POST', 'session', { email, password })

  /** The session as the page sees it; undefined when signed out. */
  async session(): Promise<SessionInfo | undefined> {
    const { status, body } = await this.send('GET', 'session')
    if (status !== 200) return undefined
    this.csrf = body.csrf_token
    return body
  }
}
