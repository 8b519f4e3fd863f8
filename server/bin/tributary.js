#!/usr/bin/env node
import { buildStale } from './build.js'

await buildStale()
await import('../dist/main.js')
