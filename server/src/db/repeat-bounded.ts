/** The time limit of one run. */
const RUN_MS = 60_000

/**
 * Repeats a statement that removes a bounded number of rows and returns them, until it removes fewer than its limit: then there are no more,
 * or other processes are at them. Also ends after a while, or when the signal is aborted; the next run goes on.
 */
export async function repeatBounded(
  limit: number,
  remove: () => Promise<unknown[]>,
  signal?: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + RUN_MS
  while ((await remove()).length >= limit && performance.now() < deadline && !signal?.aborted);
}
