// Bundlers for other runtimes look for whatever a literal names, so the name comes as an argument.
const load = (name: string) => import(/* @vite-ignore */ /* webpackIgnore: true */ name)

/** Global everywhere but in Node 18, where it is in a module. */
export const webCrypto = async (): Promise<typeof globalThis.crypto> =>
  globalThis.crypto ?? (await load('node:crypto')).webcrypto
