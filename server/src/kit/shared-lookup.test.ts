import { expect, it } from 'vitest'
import { SharedLookup } from './shared-lookup.ts'
import { sha256 } from './tokens.ts'

it('has one statement in flight, and resolves each caller by its own digest', async () => {
  const statements: Buffer[][] = []
  let underWay = 0
  let most = 0
  const lookup = new SharedLookup<string>(async keys => {
    const digests = keys.map(({ digest }) => digest)
    statements.push(digests)
    most = Math.max(most, ++underWay)
    await new Promise(resolve => setTimeout(resolve, 5))
    underWay--
    return digests.includes(right) ? [{ digest: Buffer.from(right), found: 'mine' }] : []
  })
  const right = sha256('right')
  const wrong = Array.from({ length: 3000 }, (_, n) => lookup.get(sha256(`wrong ${n}`)))
  const mine = [lookup.get(right), lookup.get(right)]
  expect(await Promise.all(mine)).toEqual(['mine', 'mine'])
  expect(new Set(await Promise.all(wrong))).toEqual(new Set([undefined]))
  expect([most, statements.map(({ length }) => length)]).toEqual([1, [1, 2000, 1000]])
})

it('passes a failure on to those who waited for it, and goes on with the next', async () => {
  let fails = true
  const lookup = new SharedLookup<true>(async keys => {
    if (fails) throw new Error('down')
    return keys.map(({ digest }) => ({ digest, found: true }))
  })
  await expect(lookup.get(sha256('a'))).rejects.toThrow('down')
  fails = false
  expect(await lookup.get(sha256('a'))).toBe(true)
})
