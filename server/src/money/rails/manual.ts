import { csvLine, exactCsvLine } from '../../kit/csv.ts'
import { formatMinor } from '../../kit/money.ts'

/** What a person needs to send one payment manually. */
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
 * The manual rail has no API: a person uploads a payment file to a bank or to PayPal, then marks each payment paid or failed.
 */
export const paymentFiles: Record<'paypal' | 'bank', PaymentFile> = {
  // PayPal's mass payment columns: address, amount, currency, an id of at most 30 characters, a note. No header row.
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
