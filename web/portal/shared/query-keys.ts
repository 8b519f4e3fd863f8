import type { PortalRouteId } from '@tributary/contract/portal/routes'

/** Every query key. A key is one object, so partial matches go by property name. */
export const queryKeys = {
  call: (route: PortalRouteId, input: object = {}) => [{ route, input }] as const,
  /** A list that loads page by page. */
  pages: (route: PortalRouteId, query: object = {}) => [{ route, pages: query }] as const,
}
