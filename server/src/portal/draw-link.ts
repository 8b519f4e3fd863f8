import type { BinaryFile } from '@tributary/contract/portal'
import { encodeQR } from 'qr'
import { deepLink } from '../earning/tracking/destination-url.ts'
import { invalid } from '../kit/domain-error.ts'

/** What the largest code holds, at the usual share of redundancy. */
const MOST_CHARACTERS = 2331

/** A link as a code for cameras. With `to` it leads to that page of the destination's site, if it is one. */
export function drawLink(
  { link, destination_url }: { link: string; destination_url: string | null },
  to: string | undefined,
): BinaryFile {
  if (to !== undefined && (destination_url === null || deepLink(to, destination_url) === undefined))
    throw invalid('to', 'is no page of the site that the link leads to')
  const address = to === undefined ? link : `${link}?to=${encodeURIComponent(to)}`
  if (address.length > MOST_CHARACTERS) throw invalid('to', 'makes a link that is too long for a code')
  return { name: 'link.svg', type: 'image/svg+xml', bytes: encodeQR(address, 'svg', { border: 2 }) }
}
