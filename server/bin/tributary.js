#!/usr/bin/env node
import { buildStale } from './build.js'

// pg asks where it runs. Where nobody tells, as in Node 20, it loads all of fetch to find out: a fifth of what a command takes to start.
globalThis.navigator ??= { userAgent: `Node.js/${process.versions.node}` }

await buildStale()
await import('../dist/main.js')
