const FIRST_WAIT_SECONDS = 2
const LONGEST_WAIT_SECONDS = 1800

/** Longer and longer, so that a rail that is down or slow is not hammered. */
export const waitSeconds = (attempts: number) =>
  Math.min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2 ** Math.min(attempts - 1, 20))
