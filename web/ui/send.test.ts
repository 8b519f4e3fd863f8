import { describe, expect, it } from 'vitest'
import { ApiError, queryText, worthRetrying } from './send.ts'

describe('a query in an address', () => {
  it('leaves out what is empty, and keeps nought and false', () => {
    expect(queryText({ a: undefined, b: null, c: '', d: 0, e: false })).toBe('?d=0&e=false')
  })

  it('is nothing where nothing is asked', () => {
    expect(queryText()).toBe('')
    expect(queryText({})).toBe('')
    expect(queryText({ a: undefined })).toBe('')
  })

  it('escapes what would mean something else there', () => {
    expect(queryText({ q: 'a&b=c #d+é' })).toBe('?q=a%26b%3Dc+%23d%2B%C3%A9')
  })
})

describe('another attempt', () => {
  it.each([400, 401, 403, 404, 409, 422, 429, 499])('is not made after a refusal with %i', status => {
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
