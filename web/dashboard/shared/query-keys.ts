import type { QueryKey } from '@tanstack/react-query'
import type { DashboardRouteId } from '@tributary/contract/dashboard/routes'

interface ListParts {
  id?: number
  query?: object
  order: 'newest' | 'oldest'
}

/**
 * Every key of the query cache. A key is one object, so its parts are read by name, and a partial key matches every key that
 * agrees with it, which is how several queries are invalidated at once.
 */
export const queryKeys = {
  session: () => [{ scope: 'session' }] as const,
  invitation: (token: string) => [{ scope: 'invitation', token }] as const,
  passwordLink: (token: string) => [{ scope: 'password-link', token }] as const,

  /** Covers every call and list of the account. */
  account: (accountId: number) => [{ scope: 'account', accountId }] as const,
  /** Covers every call and list of one route, whatever its input. */
  route: (accountId: number, route: DashboardRouteId) => [{ scope: 'account', accountId, route }] as const,
  call: (accountId: number, route: DashboardRouteId, input: object) =>
    [{ scope: 'account', accountId, route, input }] as const,
  list: (accountId: number, route: DashboardRouteId, list: ListParts) =>
    [{ scope: 'account', accountId, route, list }] as const,
  /** Covers a list below one object, such as the payments of a payout, whatever its filters. */
  listOf: (accountId: number, route: DashboardRouteId, id: number) =>
    [{ scope: 'account', accountId, route, list: { id } }] as const,

  // Outside the account's scope, so never invalidated: a payout is created from exactly the preview on screen.
  dryRun: (accountId: number, query: object, lookedAt: number) =>
    [{ scope: 'dry-run', accountId, query, lookedAt }] as const,
  dryRunPages: (accountId: number, query: object, lookedAt: number) =>
    [{ scope: 'dry-run-pages', accountId, query, lookedAt }] as const,
}

/** The status that a list is filtered by; undefined for an unfiltered list and for other queries. */
export function statusFilterOf([parts]: QueryKey): string | undefined {
  const { list } = parts as { list?: { query?: { status?: string } } }
  return list?.query?.status
}

/** The filters that are typed. */
const typed = ['q', 'customer_ref']

/** Whether two lists differ in nothing but what was typed to search them. */
export function isSameSearch([one]: QueryKey, [other]: QueryKey): boolean {
  const rest = (key: unknown) =>
    JSON.stringify(key, (name, value) => (typed.includes(name) ? undefined : value))
  return rest(one) === rest(other)
}
