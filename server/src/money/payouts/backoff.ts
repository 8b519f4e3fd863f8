const INITIAL_SECONDS = 2
const MAX_SECONDS = 1800

/** Exponential backoff, so that a rail that is down or slow is not overloaded. */
export const backoffSeconds = (attempts: number) =>
  Math.min(MAX_SECONDS, INITIAL_SECONDS * 2 ** Math.min(attempts - 1, 20))
