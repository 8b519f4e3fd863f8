import type { Referral } from '@tributary/contract'

export type ReferralRow = Referral
