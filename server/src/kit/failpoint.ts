/** Kills the process, as a power cut would, if `FAILPOINT` names this step. Never in production. */
export function failpoint(step: string): void {
  if (process.env.FAILPOINT !== step || process.env.NODE_ENV === 'production') return
  process.kill(process.pid, 'SIGKILL')
  // Block until the signal is delivered, so that nothing else runs.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}
