import { csvLine, exactCsvLine } from '../../kit/csv.ts'
import { formatMinor } from '../../kit/money.ts'

/** What a person needs to make one payment by hand. */
interface PaymentLine {
  id: number
  affiliate_id: number
  email: string
  name: string | null
  payout_address: string | null
  amount_minor: number
  currency: string
}

export interface PaymentFile {
  header: string
  line: (payment: PaymentLine) => string
}

const note = ({ id }: PaymentLine) => `Payout item ${id}`

/**
 * The manual rail is a person: there is nothing to call and nothing to ask. They take a file to a bank or to PayPal, and say what
 * became of it.
 */
export const paymentFiles: Record<'paypal' | 'bank', PaymentFile> = {
  // PayPal's mass payments take address, amount, currency, an identifier of at most 30 characters, and a note. No heading.
  paypal: {
    header: '',
    line: payment =>
      exactCsvLine([
        payment.payout_address,
        formatMinor(payment.amount_minor, payment.currency),
        payment.currency,
        String(payment.id),
        note(payment),
      ]),
  },
  bank: {
    header: csvLine([
      'item_id',
      'affiliate_id',
      'name',
      'email',
      'paypal_email',
      'amount',
      'currency',
      'reference',
    ]),
    line: payment =>
      csvLine([
        payment.id,
        payment.affiliate_id,
        payment.name,
        payment.email,
        payment.payout_address,
        formatMinor(payment.amount_minor, payment.currency),
        payment.currency,
        note(payment),
      ]),
  },
}
export type PaymentFileFormat = keyof typeof paymentFiles
