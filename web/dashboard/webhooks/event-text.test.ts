import { describe, expect, it } from 'vitest'
import { texts } from './en.ts'
import { attemptText, durationText, eventKinds, failureText, formatted } from './event-text.ts'

describe('the outcome of an attempt', () => {
  it.each([
    [200, null, 'HTTP 200'],
    [500, 'status', 'HTTP 500'],
    [null, 'dns', 'Host not found'],
    [null, 'response', 'Timed out waiting for a response'],
    // A stage of a later version.
    [null, 'teleport', 'teleport'],
  ])('%s at %s is "%s"', (response_status, error_stage, text) => {
    expect(attemptText({ response_status, error_stage })).toBe(text)
  })
})

it.each([
  ['dns', 'Host not found.'],
  ['teleport', 'teleport.'],
])('the stage %s as a sentence', (stage, sentence) => {
  expect(failureText(stage)).toBe(sentence)
})

it('says that only 200 counts', () => {
  expect(failureText('status')).toContain('Only a 200 response counts')
})

it('describes every event type', () => {
  expect(eventKinds.filter(kind => !texts.events[kind])).toEqual([])
  expect(eventKinds).toContain('payout.paid')
})

it.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1000, '1 s'],
  [10_240, '10.2 s'],
])('a duration of %i ms is %s', (ms, text) => {
  expect(durationText(ms).replace('sec', 's')).toBe(text)
})

describe('a formatted body', () => {
  it('is indented if it is JSON', () => {
    expect(formatted('{"a":[1,2]}')).toBe('{\n  "a": [\n    1,\n    2\n  ]\n}')
  })

  it.each(['', 'plain text', '{"a":'])('is unchanged if it is not: "%s"', body => {
    expect(formatted(body)).toBe(body)
  })
})
