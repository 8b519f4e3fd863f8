#!/usr/bin/env node
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildStale, dist } from './build.js'
import { holdCurrentBuild } from './builds.js'

// pg looks for a browser's `navigator`. Where there is none, as in Node 20, it loads all of fetch to find out where it runs: an eighth of
// what a command takes.
globalThis.navigator ??= { userAgent: `Node.js/${process.versions.node}` }

await buildStale()
const { build } = holdCurrentBuild(dist)
await import(pathToFileURL(join(build, 'program/main.js')).href)
