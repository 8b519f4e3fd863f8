import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// This file and the built program stand at the same depth below server/, so one set of paths serves both.
const below = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export const projectRoot = below('../..')
export const packageFile = below('../package.json')
export const migrationsFolder = below('../migrations')
export const docsFolder = below('../../docs')
export const webFolder = below('../../web')
export const webBuildFolder = below('../../web/dist')
/** The SDK as the build has packed it. */
export const sdkFolder = below('../dist/sdk')

/** As the package of the server tells it. */
export const programVersion = (): string =>
  (JSON.parse(readFileSync(below('../package.json'), 'utf8')) as { version: string }).version
