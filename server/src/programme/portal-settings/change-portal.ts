import type { Db } from '../../db/database.ts'
import { brokenConstraint } from '../../db/failures.ts'
import { conflict, invalid } from '../../kit/domain-error.ts'
import { parseUrl } from '../../kit/url.ts'
import { type PortalChanges, saveLogo, updatePortal } from './portal.store.ts'

/** A name in the domain name system, as a browser sends it. */
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
    throw invalid('domain', 'must be the name of a host alone, such as partners.example.com')
  if (name.hostname === new URL(baseUrl).hostname)
    throw invalid('domain', 'is the address of this service itself; the portal needs one of its own')
  return name.hostname
}

/** A URL takes hosts with a semicolon or an asterisk, which mean something else in the header that origins are written in. */
const isPlainHost = (name: string) => /^([a-z0-9.-]+|\[[0-9a-f:.]+\])$/.test(name)

/** Where a page may stand that shows the portal in a frame: a scheme and a host, nothing after them. */
function originFrom(text: string): string {
  const url = parseUrl(text)
  if (url?.pathname !== '/' || url.search || url.hash || url.username || !isPlainHost(url.hostname))
    throw invalid(
      'frame_origins',
      `holds "${text}", which is more than an origin such as https://app.example.com`,
    )
  return url.origin
}

/** Changes what is named, all of it or nothing. */
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

/** A comment holds no end of a comment: where it could be read in two ways, many of them would take for ever. */
const isSvg = (bytes: Buffer) =>
  /^\uFEFF?\s*(<\?xml[^>]*>\s*)?(<!--((?!-->)[\s\S])*-->\s*)*(<!DOCTYPE[^>]*>\s*)?<svg[\s>]/i.test(
    bytes.toString('utf8', 0, 2000),
  )

/** What a picture is, by its first bytes; what its sender calls it proves nothing. */
function pictureType(bytes: Buffer): string | undefined {
  const begins = (text: string, at = 0) => bytes.toString('latin1', at, at + text.length) === text
  if (begins('\x89PNG\r\n')) return 'image/png'
  if (begins('\xff\xd8\xff')) return 'image/jpeg'
  if (begins('RIFF') && begins('WEBP', 8)) return 'image/webp'
  return isSvg(bytes) ? 'image/svg+xml' : undefined
}

export async function changeLogo(db: Db, accountId: number, base64: string): Promise<void> {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length > LARGEST_LOGO_BYTES) throw invalid('logo', 'is larger than 256 KiB')
  const type = pictureType(bytes)
  if (!type) throw invalid('logo', 'is neither PNG, JPEG, WebP nor SVG')
  await saveLogo(db, accountId, { bytes, type })
}

export const removeLogo = (db: Db, accountId: number): Promise<void> => saveLogo(db, accountId, null)
