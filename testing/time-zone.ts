/** Runs something as if this machine were in another time zone. */
export function inTimeZone<T>(zone: string, run: () => T): T {
  const before = process.env.TZ
  process.env.TZ = zone
  try {
    return run()
  } finally {
    if (before === undefined) delete process.env.TZ
    else process.env.TZ = before
  }
}
