/** Everything affiliates read, in English. Another language is a folder like this one with the same exports. */
export { accessPages } from './access-pages.ts'
export { emails } from './emails.ts'
export { pages } from './pages/index.ts'
export { statement } from './statement.ts'
export { date } from './units.ts'
