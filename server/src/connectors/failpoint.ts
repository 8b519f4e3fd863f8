import { failpoint as killAt } from '../kit/failpoint.ts'

/** The steps of processing a billing event between which a process may crash. Tests kill it at each one. */
export const connectorFailpoints = ['event read', 'reports applied', 'state recorded'] as const

export const failpoint = (step: (typeof connectorFailpoints)[number]) => killAt(step)
