import type { Db } from '../../db/database.ts'
import { brokenConstraint } from '../../db/failures.ts'
import { conflict, invalid } from '../../kit/domain-error.ts'
import { fileType } from '../../kit/file-type.ts'
import { parseUrl } from '../../kit/url.ts'
import { type PortalChanges, saveLogo, updatePortal } from './portal.store.ts'

/** The limit of DNS, which a name can exceed only as punycode, for example. */
const LONGEST_DOMAIN = 253

/** A DNS name, normalized as a browser sends it. */
function domainFrom(text: string, baseUrl: string): string {
  const name = parseUrl(`https://${text.trim()}`)
  const isName = name !== undefined && name.host === name.hostname && name.pathname === '/'
  if (
    !isName ||
    name.search ||
    name.hash ||
    name.username ||
    !/^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z][a-z0-9-]*$/.test(name.hostname)
  )
    throw invalid('domain', 'must be a host name such as partners.example.com')
  if (name.hostname.length > LONGEST_DOMAIN)
    throw invalid('domain', `must have at most ${LONGEST_DOMAIN} characters in its ASCII form`)
  if (name.hostname === new URL(baseUrl).hostname)
    throw invalid('domain', "is this service's own domain; use a separate one for the portal")
  return name.hostname
}

/** URLs allow semicolons and asterisks in hosts, which have a special meaning in the CSP header that lists the origins. */
const isPlainHost = (name: string) => /^([a-z0-9.-]+|\[[0-9a-f:.]+\])$/.test(name)

/** An allowed embed origin: scheme and host only. */
function originFrom(text: string): string {
  const url = parseUrl(text)
  if (url?.pathname !== '/' || url.search || url.hash || url.username || !isPlainHost(url.hostname))
    throw invalid('frame_origins', `has "${text}", which is not an origin such as https://app.example.com`)
  return url.origin
}

/** Changes the given settings, all or nothing. */
export async function changePortal(
  db: Db,
  accountId: number,
  baseUrl: string,
  changes: PortalChanges,
): Promise<void> {
  const { domain, frame_origins: origins, colour } = changes
  try {
    await updatePortal(db, accountId, {
      ...changes,
      ...(colour && { colour: colour.toLowerCase() }),
      ...(typeof domain === 'string' && { domain: domainFrom(domain, baseUrl) }),
      ...(origins && { frame_origins: [...new Set(origins.map(originFrom))] }),
    })
  } catch (error) {
    if (brokenConstraint(error) === 'portals_domain_taken')
      throw conflict('domain is the portal of another account already.')
    throw error
  }
}

const LARGEST_LOGO_BYTES = 256 * 1024

/** A comment can't contain its own end: an ambiguous pattern would backtrack exponentially on many comments. */
const isSvg = (bytes: Buffer) =>
  /^\uFEFF?\s*(<\?xml[^>]*>\s*)?(<!--((?!-->)[\s\S])*-->\s*)*(<!DOCTYPE[^>]*>\s*)?<svg[\s>]/i.test(
    bytes.toString('utf8', 0, 2000),
  )

/** The image type by its first bytes; the declared type is not trusted. */
function pictureType(bytes: Buffer): string | undefined {
  const type = fileType(bytes)
  if (type === undefined) return isSvg(bytes) ? 'image/svg+xml' : undefined
  return type === 'application/pdf' || type === 'image/gif' ? undefined : type
}

export async function changeLogo(db: Db, accountId: number, base64: string): Promise<void> {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length > LARGEST_LOGO_BYTES) throw invalid('logo', 'must be at most 256 KiB')
  const type = pictureType(bytes)
  if (!type) throw invalid('logo', 'must be a PNG, JPEG, WebP or SVG file')
  await saveLogo(db, accountId, { bytes, type })
}

export const removeLogo = (db: Db, accountId: number): Promise<void> => saveLogo(db, accountId, null)
