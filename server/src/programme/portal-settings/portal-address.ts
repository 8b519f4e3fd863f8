import type { PortalRow } from './portal.store.ts'

/** The origin of an account's own domain: as the service itself is reached, under another name. */
function originOf(baseUrl: string, domain: string): string {
  const url = new URL(baseUrl)
  url.hostname = domain
  return url.origin
}

/** Where affiliates find the portal, without a slash at the end. */
export const portalAddress = (
  baseUrl: string,
  { slug, domain }: Pick<PortalRow, 'slug' | 'domain'>,
): string => (domain === null ? `${baseUrl}/portal/${slug}` : originOf(baseUrl, domain))

/** Where links of affiliates begin: the account's own domain says nothing of the program behind it. */
export const linkBase = (baseUrl: string, { slug, domain }: Pick<PortalRow, 'slug' | 'domain'>): string =>
  domain === null ? `${baseUrl}/r/${slug}` : `${originOf(baseUrl, domain)}/r`

/** Where the logo is, by a name that changes with it. */
export const logoAddress = (
  base: string,
  { logo_version }: Pick<PortalRow, 'logo_version'>,
): string | null => (logo_version === null ? null : `${base}/logo/${logo_version}`)
