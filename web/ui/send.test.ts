import { describe, expect, it } from 'vitest'
import { ApiError, queryText, worthRetrying } from './send.ts'

describe('a query string', () => {
  it('leaves out empty values, and keeps 0 and false', () => {
    expect(queryText({ a: undefined, b: null, c: '', d: 0, e: false })).toBe('?d=0&e=false')
  })

  it('is empty without values', () => {
    expect(queryText()).toBe('')
    expect(queryText({})).toBe('')
    expect(queryText({ a: undefined })).toBe('')
  })

  it('escapes special characters', () => {
    expect(queryText({ q: 'a&b=c #d+é' })).toBe('?q=a%26b%3Dc+%23d%2B%C3%A9')
  })
})

describe('a retry', () => {
  it.each([400, 401, 403, 404, 409, 422, 429, 499])('is not made after a %i', status => {
    expect(worthRetrying(0, new ApiError(status, 'code', 'No'))).toBe(false)
  })

  it.each([0, 500, 502, 503])('is made after %i, twice at most', status => {
    const error = new ApiError(status, 'code', 'Later')
    expect([0, 1, 2].map(failures => worthRetrying(failures, error))).toEqual([true, true, false])
  })

  it('is made after any other error', () => {
    expect(worthRetrying(0, new Error('unexpected'))).toBe(true)
  })
})
