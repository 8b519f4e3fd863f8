import type { PortalSettings } from '@tributary/contract/dashboard'
import type { ShownCustomer } from '@tributary/contract/portal'

const HIDDEN = '•••'

/** The first code point, so that a surrogate pair is never split. */
const initial = (text: string) => [...text][0] ?? ''

/** Enough to recognise a known customer, too little to identify an unknown one. */
function masked(customer: string): string {
  const [name = '', host] = customer.split('@')
  if (host !== undefined) return `${initial(name)}${HIDDEN}@${initial(host)}${HIDDEN}`
  const characters = [...customer]
  return characters.length < 7
    ? HIDDEN
    : `${characters.slice(0, 2).join('')}${HIDDEN}${characters.slice(-2).join('')}`
}

/** A customer as the company's setting lets affiliates see it: in full, masked, or hidden. */
export function shownCustomer(
  customer: string | null,
  shown: PortalSettings['customers_shown'],
): ShownCustomer {
  if (customer === null || shown === 'hidden') return null
  return shown === 'full' ? customer : masked(customer)
}
