import { expect, it } from 'vitest'
import { acceptedEncoding } from './accepted-encoding.ts'

it.each([
  [undefined, undefined],
  ['', undefined],
  ['br', 'br'],
  ['gzip', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['gzip, br;q=0.5', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0, gzip;q=0', undefined],
  ['gzip;q=0.2, identity', undefined],
  ['GZIP ; Q=1', 'gzip'],
  ['*', 'br'],
  ['*;q=0', undefined],
  ['br;q=0, *', 'gzip'],
  ['identity;q=0, gzip;q=0.1', 'gzip'],
  ['brotli, xgzip', undefined],
  ['gzip;q=nonsense', undefined],
])('%j takes %s', (header, coding) => expect(acceptedEncoding(header, ['br', 'gzip'])).toBe(coding))
