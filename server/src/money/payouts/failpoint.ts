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

/** Kills the process, as a power cut would, if `FAILPOINT` names this step. Never in production. */
export function failpoint(step: Failpoint): void {
  if (process.env.FAILPOINT !== step || process.env.NODE_ENV === 'production') return
  process.kill(process.pid, 'SIGKILL')
  // Block until the signal is delivered, so that nothing else runs.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}
