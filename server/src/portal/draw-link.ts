import type { BinaryFile } from '@tributary/contract/portal'
import { encodeQR } from 'qr'
import { deepLink } from '../earning/tracking/destination-url.ts'
import { invalid } from '../kit/domain-error.ts'

/** The capacity of the largest QR code at the default error correction. */
const MOST_CHARACTERS = 2331

/** A link as a QR code. With `to`, a deep link to that page, which must be on the destination's site. */
export function drawLink(
  { link, destination_url }: { link: string; destination_url: string | null },
  to: string | undefined,
): BinaryFile {
  if (to !== undefined && (destination_url === null || deepLink(to, destination_url) === undefined))
    throw invalid('to', "must be a page on the campaign's destination site")
  const address = to === undefined ? link : `${link}?to=${encodeURIComponent(to)}`
  if (address.length > MOST_CHARACTERS) throw invalid('to', 'is too long for a QR code')
  return { name: 'link.svg', type: 'image/svg+xml', bytes: encodeQR(address, 'svg', { border: 2 }) }
}
