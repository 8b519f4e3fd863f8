import { type Evidence, evidenceIn, type Metadata, queryOf, withCodes } from '../evidence.ts'
import { listAt, textAt } from '../field-path.ts'

/** Where WooCommerce itself keeps the first page of the visit. */
const LANDING_PAGE = '_wc_order_attribution_session_entry'

/** What an order's coupons, free fields and landing page say about who referred the customer. Names of hidden fields begin with `_`. */
export function evidenceOf(order: unknown): Evidence | undefined {
  const pairs = listAt(order, 'meta_data').map(pair => [textAt(pair, 'key'), textAt(pair, 'value')] as const)
  const shown: Metadata = {}
  for (const [key, value] of pairs)
    if (key !== undefined && value !== undefined) shown[key.replace(/^_(?=tributary_)/, '')] = value
  const landing = pairs.find(([key]) => key === LANDING_PAGE)?.[1]
  const codes = listAt(order, 'coupon_lines')
    .map(line => textAt(line, 'code'))
    .filter(code => code !== undefined)
  return withCodes(evidenceIn(shown, queryOf(landing)), codes)
}
