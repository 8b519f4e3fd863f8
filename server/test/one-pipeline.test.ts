/** Protects every surface from a call that goes its own way past the checks: they stand in one place, which all calls go through. */
import { expect, it } from 'vitest'
import { sourceFiles } from './source-files.ts'

const http = [...sourceFiles('server/src/http')].filter(([file]) => !file.endsWith('.test.ts'))
const filesWith = (pattern: RegExp) =>
  http.filter(([, source]) => pattern.test(source)).map(([file]) => file.slice('server/src/http/'.length))

it('no call of the API, the dashboard or the portal is registered beside the pipeline', () => {
  const besides = filesWith(/\bapi\.(get|post|put|patch|delete|all|route)\(/)
  // The first answers 404 to what is no call.
  expect(besides).toEqual(['page-api.ts', 'route.ts'])
})

it.each([
  ['the proof that our page makes a change', /tributary-csrf/, ['authenticate/page-session.ts']],
  ['the origin of a change', /headers\.origin \?\? ''/, ['page-api.ts']],
  ['what is wrong with a request', /\bexplain\(/, ['request/validation.ts']],
  [
    'how long a refused caller waits',
    /new DomainError\(\s*'rate_limited'/,
    ['authenticate/rate-limited.ts', 'response/downloads.ts'],
  ],
])('%s is decided once', (_, pattern, places) => {
  expect(filesWith(pattern)).toEqual(places)
})
