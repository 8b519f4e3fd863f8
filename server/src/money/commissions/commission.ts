import type { Commission } from '@tributary/contract'

export type CommissionRow = Commission
