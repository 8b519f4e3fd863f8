import { afterAll } from 'vitest'
import { cleanUp } from './temporary.ts'

// Registered before a file's own hooks, and therefore run after them.
afterAll(cleanUp)
