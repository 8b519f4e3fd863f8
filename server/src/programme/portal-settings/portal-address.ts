import type { PortalRow } from './portal.store.ts'

/** The origin of an account's custom domain: the service's own scheme and port with another host. */
function originOf(baseUrl: string, domain: string): string {
  const url = new URL(baseUrl)
  url.hostname = domain
  return url.origin
}

/** The portal's URL, without a trailing slash. */
export const portalAddress = (
  baseUrl: string,
  { slug, domain }: Pick<PortalRow, 'slug' | 'domain'>,
): string => (domain === null ? `${baseUrl}/portal/${slug}` : originOf(baseUrl, domain))

/** The base URL of affiliate links: the custom domain, if the account has one. */
export const linkBase = (baseUrl: string, { slug, domain }: Pick<PortalRow, 'slug' | 'domain'>): string =>
  domain === null ? `${baseUrl}/r/${slug}` : `${originOf(baseUrl, domain)}/r`

/** The URL of the tracking script: on the custom domain too, if the account has one. */
export const scriptAddress = (baseUrl: string, { domain }: Pick<PortalRow, 'domain'>): string =>
  `${domain === null ? baseUrl : originOf(baseUrl, domain)}/tracker.js`

/** The logo's URL, which changes with its content. */
export const logoAddress = (
  base: string,
  { logo_version }: Pick<PortalRow, 'logo_version'>,
): string | null => (logo_version === null ? null : `${base}/logo/${logo_version}`)
