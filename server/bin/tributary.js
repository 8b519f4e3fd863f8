#!/usr/bin/env node
import { join } from 'node:path'
import { buildStale, dist } from './build.js'
import { holdCurrentBuild } from './builds.js'
import { loadProgram } from './program.js'

// pg checks `navigator`. Without it, as in Node 20, it loads all of fetch to detect the runtime: an eighth of a command's run time.
globalThis.navigator ??= { userAgent: `Node.js/${process.versions.node}` }

await buildStale()
const { build } = holdCurrentBuild(dist)
loadProgram(join(build, 'program'))
