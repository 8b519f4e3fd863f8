import { failpoint as killAt } from '../../kit/failpoint.ts'

/** The steps of a payout between which a process may crash. Tests kill it at each one and check the state it leaves behind. */
export const failpoints = [
  'payout inserted',
  'payout created',
  'submission intended',
  'rail called',
  'submission recorded',
  'outcomes received',
  'outcomes recorded',
  'ledger moved',
  'items settled',
  'payout finished',
] as const
export type Failpoint = (typeof failpoints)[number]

export const failpoint = (step: Failpoint): void => killAt(step)
