import { failpoint as killAt } from '../kit/failpoint.ts'

/** The steps of rolling up between which a process may crash. Tests kill it at each one. */
export const insightFailpoints = [
  'days marked',
  'marks taken',
  'earnings replaced',
  'cohorts replaced',
  'total added',
  'open day counted',
] as const

export const failpoint = (step: (typeof insightFailpoints)[number]) => killAt(step)
