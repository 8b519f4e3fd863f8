/** The steps of a payout between which a machine may stop. A test stops it at each of them and looks at what is left. */
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

/** Ends the process on the spot, as a power cut would, where `FAILPOINT` names this step. Never in production. */
export function failpoint(step: Failpoint): void {
  if (process.env.FAILPOINT !== step || process.env.NODE_ENV === 'production') return
  process.kill(process.pid, 'SIGKILL')
  // The signal may take a moment to arrive; nothing more happens until it does.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}
