#!/usr/bin/env node
import { build, isStale } from './build.js'

if (isStale()) await build()
await import('../dist/main.js')
