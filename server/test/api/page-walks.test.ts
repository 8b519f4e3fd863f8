/**
 * Protects pagination: a walk to the end returns every row committed before it began exactly once, with any filters and page
 * size, during concurrent inserts.
 */
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { useScene } from '../harness.ts'
import { addRow, filtersOf, type Ground, nouns, prepareGround, walk } from '../populated-lists.ts'

const scene = useScene()
let ground: Ground
let added = 0

beforeAll(async () => {
  ground = await prepareGround(scene)
  for (const noun of nouns) for (let n = 0; n < 24; n++) await addRow(scene, ground, noun, added++)
})

describe.each(nouns)('%s', noun => {
  const filters = filtersOf[noun]
  const chosen = fc
    .subarray(Object.keys(filters))
    .chain(names => fc.tuple(...names.map(name => fc.tuple(fc.constant(name), fc.nat(5)))))

  it('are each met exactly once', async () => {
    await fc.assert(
      fc.asyncProperty(chosen, fc.integer({ min: 1, max: 9 }), fc.nat(2), async (choice, limit, inserts) => {
        const query = Object.fromEntries(
          choice.map(([name, index]) => {
            const values = filters[name]?.values(ground) as unknown[]
            return [name, values[index % values.length]]
          }),
        )
        const before = await walk(scene, noun, query)
        // Not awaited page by page: the inserts commit at any moment of the walk, beside its own statements.
        const inserting: Promise<void>[] = []
        const after = await walk(scene, noun, query, limit, async () => {
          for (let n = 0; n < inserts; n++) inserting.push(addRow(scene, ground, noun, added++))
        })
        await Promise.all(inserting)
        const met = after.map(({ id }) => id)
        expect(new Set(met).size).toBe(met.length)
        const newest = before[0]?.id ?? 0
        expect(met.filter(id => id <= newest)).toEqual(before.map(({ id }) => id))
      }),
      { numRuns: 10 },
    )
  })
})
