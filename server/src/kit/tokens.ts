import { hash, randomBytes, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export const randomBase62 = (length: number) => Array.from({ length }, () => BASE62[randomInt(62)]).join('')

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let i = 0; i < 6; i++) {
    digits = BASE62[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** `trib_`, 32 random characters and their checksum, by which secret scanners recognise a leaked key. */
export function newApiKey(): string {
  const secret = randomBase62(32)
  return `trib_${secret}${checksum(secret)}`
}

/** Whether a key has a valid checksum; rejects mistyped or invented keys without a query. */
export function isApiKey(text: string): boolean {
  const parts = /^trib_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/.exec(text)
  return parts !== null && checksum(parts[1] as string) === parts[2]
}

export const newWebhookSecret = () => `whsec_${randomBytes(32).toString('base64')}`

/** The default token of an affiliate in links. */
export const newAffiliateToken = () => randomBase62(12)

/** 256 bits for a sign-in link. */
export const newLinkToken = () => randomBytes(32).toString('base64url')

/** Whether a string can be such a token; checked without a query. */
export const isLinkToken = (text: string) => /^[\w-]{43}$/.test(text)

export const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer')

/** Known only to the server and the page of the session; proves that a change comes from that page. */
export const csrfToken = (sessionToken: string) => hash('sha256', `csrf ${sessionToken}`, 'base64url')
