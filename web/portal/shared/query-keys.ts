import type { PortalRouteId } from '@tributary/contract/portal/routes'

/** Every key of the cache. A key is one object, so a part of it is found by its name. */
export const queryKeys = {
  call: (route: PortalRouteId, input: object = {}) => [{ route, input }] as const,
  /** A list that grows page by page. */
  pages: (route: PortalRouteId, query: object = {}) => [{ route, pages: query }] as const,
}
