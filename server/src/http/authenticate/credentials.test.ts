import { expect, it } from 'vitest'
import { keyFrom } from './credentials.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')

it('is undefined where there are no credentials', () => expect(keyFrom(undefined)).toBeUndefined())

it.each([
  ['Bearer key', 'key'],
  ['bearer key', 'key'],
  ['BEARER  key ', 'key'],
  [`Basic ${base64('key:')}`, 'key'],
  [`basic ${base64('key:a:b')}`, 'key'],
  [`Basic ${base64('key')}`, 'key'],
  [`Basic ${base64(':key')}`, ''],
  ['', ''],
  ['Bearer', ''],
  ['Bearer a b', ''],
  ['key', ''],
  ['Token key', ''],
  ['Bearerkey', ''],
])('%j carries %j', (header, key) => expect(keyFrom(header)).toBe(key))
