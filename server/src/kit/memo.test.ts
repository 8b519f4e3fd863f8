import { expect, it } from 'vitest'
import { Memo } from './memo.ts'

it('makes a thing once for each name, and begins anew when it has too many', () => {
  const made: string[] = []
  const memo = new Memo<boolean>(2)
  const ask = (name: string) =>
    memo.get(name, () => {
      made.push(name)
      return name === 'a'
    })
  expect(['a', 'b', 'a', 'b'].map(ask)).toEqual([true, false, true, false])
  expect(made).toEqual(['a', 'b'])
  expect(['c', 'a'].map(ask)).toEqual([false, true])
  expect(made).toEqual(['a', 'b', 'c', 'a'])
})

it('does not remember what could not be made', () => {
  const memo = new Memo<string>(2)
  const refuse = () => {
    throw new Error('refused')
  }
  expect(() => memo.get('a', refuse)).toThrow('refused')
  expect(memo.get('a', () => 'made')).toBe('made')
})
