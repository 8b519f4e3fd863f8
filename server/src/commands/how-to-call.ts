import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../paths.ts'

/**
 * How this very program is called. `npx` finds it in a checkout alone; elsewhere it would fetch a package of that name which is
 * not ours.
 */
export const howToCall = (): string =>
  existsSync(join(projectRoot, 'contract/src'))
    ? 'npx tributary'
    : `node ${join(projectRoot, 'server/bin/tributary.js')}`
