/** A page is a path relative to the portal's base path, which is empty on a custom domain. */
export const pageAt = (pathname: string, base: string) =>
  pathname.slice(base.length).replace(/\/+$/, '') || '/'

export const addressOfPage = (page: string, base: string) => `${base}${page}` || '/'

/** Whether a navigation tab leads to the current page, or to the list it belongs to. */
export const isAt = (page: string, tab: string) => page === tab || (tab !== '/' && page.startsWith(`${tab}/`))
