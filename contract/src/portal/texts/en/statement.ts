/** The statement as a PDF. */
export const statement = {
  title: 'Statement',
  asOf: (date: string) => `As of ${date}`,
  zone: (zone: string) => `All dates in ${zone}`,
  columns: { date: 'Date', description: 'Description', amount: 'Amount', balance: 'Balance' },
  entries: {
    earned: 'Commission',
    clawback: 'Clawback',
    adjustment: 'Adjustment',
    payout: 'Payout',
    credit: 'Credit',
  },
  pending: 'pending',
  void: 'void',
  balance: (currency: string) => `Balance (${currency})`,
  credit: (currency: string) => `Credit (${currency}), not paid out`,
  newest: (shown: number, total: number) =>
    `Newest ${shown.toLocaleString('en')} of ${total.toLocaleString('en')} transactions. Download the CSV for all of them.`,
  empty: 'No transactions',
  page: (page: number) => `Page ${page}`,
} as const
