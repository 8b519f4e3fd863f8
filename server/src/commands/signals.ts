/** Resolves with the name of the first signal to stop. A second one ends the process without further ado. */
export function untilSignalled(): Promise<NodeJS.Signals> {
  return new Promise(resolve => {
    for (const name of ['SIGTERM', 'SIGINT'] as const)
      process.once(name, () => {
        resolve(name)
        process.once(name, () => process.exit(1))
      })
  })
}
