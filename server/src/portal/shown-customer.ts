import type { PortalSettings } from '@tributary/contract/dashboard'
import type { ShownCustomer } from '@tributary/contract/portal'

const HIDDEN = '•••'

/** The first character, whole: half a surrogate pair is no text. */
const initial = (text: string) => [...text][0] ?? ''

/** Enough to recognise a customer one knows, too little to find one that one does not. */
function masked(customer: string): string {
  const [name = '', host] = customer.split('@')
  if (host !== undefined) return `${initial(name)}${HIDDEN}@${initial(host)}${HIDDEN}`
  const characters = [...customer]
  return characters.length < 7
    ? HIDDEN
    : `${characters.slice(0, 2).join('')}${HIDDEN}${characters.slice(-2).join('')}`
}

/** A customer as far as the company lets its affiliates see. */
export function shownCustomer(
  customer: string | null,
  shown: PortalSettings['customers_shown'],
): ShownCustomer {
  if (customer === null || shown === 'hidden') return null
  return shown === 'full' ? customer : masked(customer)
}
