/** A page is a path below where the portal begins, which is the empty path under a custom domain. */
export const pageAt = (pathname: string, base: string) =>
  pathname.slice(base.length).replace(/\/+$/, '') || '/'

export const addressOfPage = (page: string, base: string) => `${base}${page}` || '/'

/** Whether a tab of the navigation is the page that is open, or the list it belongs to. */
export const isAt = (page: string, tab: string) => page === tab || (tab !== '/' && page.startsWith(`${tab}/`))
