import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// As a source this file lies in server/src; bundled, it is part of server/dist/<build>/program.
const here = dirname(fileURLToPath(import.meta.url))
const isSource = basename(here) === 'src'
const server = isSource ? dirname(here) : dirname(dirname(dirname(here)))

export const projectRoot = dirname(server)
export const packageFile = join(server, 'package.json')
export const migrationsFolder = join(server, 'migrations')
export const docsFolder = join(projectRoot, 'docs')
export const webFolder = join(projectRoot, 'web')

/** A running program stays with the build that it was started from; tests take the current one. */
const build = () =>
  isSource ? join(server, 'dist', readFileSync(join(server, 'dist/current'), 'utf8').trim()) : dirname(here)
export const webBuildFolder = () => join(build(), 'web')
/** The SDK as the build has packed it. */
export const sdkFolder = () => join(build(), 'sdk')

/** As the package of the server tells it. */
export const programVersion = (): string =>
  (JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }).version
