import {
  type DashboardBody,
  type DashboardQuery,
  type DashboardRouteId,
  dashboardRoutes,
  type Role,
} from '@tributary/contract/dashboard'
import { csrfToken } from '../../src/kit/tokens.ts'
import { startSession } from '../../src/programme/team/sessions.ts'
import { ask } from '../ask.ts'
import type { Answer } from '../client.ts'
import { unique } from '../factories.ts'
import type { TestApp } from '../harness.ts'

export interface PersonInput<Id extends DashboardRouteId> {
  id?: number | string
  query?: Partial<DashboardQuery<Id>> | Record<string, unknown>
  body?: DashboardBody<Id> | Record<string, unknown>
  headers?: Record<string, string>
}

/** A signed-in user who makes the calls that the pages make. */
export class Person {
  readonly email: string
  readonly #app: TestApp
  readonly #token: string
  readonly accountId: number

  private constructor(app: TestApp, accountId: number, email: string, token: string) {
    this.#app = app
    this.#token = token
    this.accountId = accountId
    this.email = email
  }

  /** Joins the account's team without a password, whose hash would take long, and begins a session. */
  static async join(app: TestApp, accountId: number, role: Role): Promise<Person> {
    const email = `${unique(role)}@example.com`
    const { rows } = await app.database.owner.query(
      "INSERT INTO users (email, email_key, password_hash) VALUES ($1, $1, 'none') RETURNING id",
      [email],
    )
    const userId = Number(rows[0].id)
    await app.database.owner.query(
      'INSERT INTO memberships (account_id, user_id, role) VALUES ($1, $2, $3)',
      [accountId, userId, role],
    )
    const token = await startSession(
      app.database.db,
      { id: userId, password_hash: 'none' },
      { address: '127.0.0.1', userAgent: null },
    )
    return new Person(app, accountId, email, token)
  }

  /** The same person, calling on another account. */
  at(accountId: number): Person {
    return new Person(this.#app, accountId, this.email, this.#token)
  }

  /** What goes over the wire for a call. */
  request<Id extends DashboardRouteId>(route: Id, input: PersonInput<Id> = {}) {
    const [method, path] = dashboardRoutes[route]
    const query = new URLSearchParams(
      Object.entries(input.query ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
    )
    const place = `${path.replace('{id}', String(input.id))}${query.size > 0 ? `?${query}` : ''}`
    const headers: Record<string, string> = {
      cookie: `tributary=${this.#token}`,
      origin: this.#app.url,
      'tributary-csrf': csrfToken(this.#token),
      ...(method !== 'GET' && { 'content-type': 'application/json' }),
      ...input.headers,
    }
    return { method, path: `/dashboard/api/accounts/${this.accountId}/${place}`, headers }
  }

  async call<Id extends DashboardRouteId>(route: Id, input: PersonInput<Id> = {}): Promise<Answer> {
    const { method, path, headers } = this.request(route, input)
    const response = await ask(`${this.#app.url}${path}`, {
      method,
      headers,
      ...(method !== 'GET' && { body: JSON.stringify(input.body ?? {}) }),
    })
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return { ...response, body: isJson ? JSON.parse(response.text) : undefined }
  }
}
