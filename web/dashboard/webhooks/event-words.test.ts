import { describe, expect, it } from 'vitest'
import { attemptWords, eventKinds, eventWords, formatted, stageSentence } from './event-words.ts'

describe('an attempt in a few words', () => {
  it.each([
    [200, null, 'HTTP 200'],
    [500, 'status', 'HTTP 500'],
    [null, 'dns', 'The name of the host could not be found'],
    [null, 'response', 'No answer came in time'],
    // A later version may know another stage.
    [null, 'teleport', 'teleport'],
  ])('%s at %s is "%s"', (response_status, error_stage, words) => {
    expect(attemptWords({ response_status, error_stage })).toBe(words)
  })
})

it.each([
  ['dns', 'The name of the host could not be found.'],
  ['teleport', 'teleport.'],
])('the stage %s as a sentence', (stage, sentence) => {
  expect(stageSentence(stage)).toBe(sentence)
})

it('says that only 200 counts', () => {
  expect(stageSentence('status')).toContain('only 200 counts')
})

it('has words for every kind of event', () => {
  expect(eventKinds.filter(kind => !eventWords[kind])).toEqual([])
  expect(eventKinds).toContain('payout.paid')
})

describe('a body for people to read', () => {
  it('is indented where it is JSON', () => {
    expect(formatted('{"a":[1,2]}')).toBe('{\n  "a": [\n    1,\n    2\n  ]\n}')
  })

  it.each(['', 'plain text', '{"a":'])('stays as it is where it is none: "%s"', body => {
    expect(formatted(body)).toBe(body)
  })
})
