import type { Payout } from '@tributary/contract'

export type PayoutRow = Payout
