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

/** A running program keeps using the build that it was started from; tests use the current one. */
const build = () =>
  isSource ? join(server, 'dist', readFileSync(join(server, 'dist/current'), 'utf8').trim()) : dirname(here)
export const webBuildFolder = () => join(build(), 'web')
/** The SDK tarball of the build. */
export const sdkFolder = () => join(build(), 'sdk')

/** The version in the server's package.json. */
export const programVersion = (): string =>
  (JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }).version
