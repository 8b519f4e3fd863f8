/** The number of a row, as people write it: "12", "#12" or "Payout 12". */
export const numberIn = (text: string, noun: 'payout' | 'referral' | 'commission') =>
  new RegExp(`^(?:${noun}\\s*)?#?(\\d{1,15})$`, 'i').exec(text)?.[1] ?? null
