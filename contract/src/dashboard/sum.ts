import type { Static } from 'typebox'
import { Currency, closed, SumMinor } from '../fields.ts'

/** An amount in one currency; amounts in different currencies are never added up. */
export const Sum = closed({ currency: Currency, amount_minor: SumMinor })
export type Sum = Static<typeof Sum>
