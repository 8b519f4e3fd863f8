// Bundlers for other runtimes try to resolve literal imports, so the name is passed as an argument.
const load = (name: string) => import(/* @vite-ignore */ /* webpackIgnore: true */ name)

/** Global everywhere except in Node 18, which has it in a module. */
export const webCrypto = async (): Promise<typeof globalThis.crypto> =>
  globalThis.crypto ?? (await load('node:crypto')).webcrypto
