/** Protects who reads the code: what a file exports, another file uses. */
import { expect, it } from 'vitest'
import { codeFiles, exportsOf, importsOf, resolveImport } from './import-graph.ts'

const isTest = (file: string) => file.endsWith('.test.ts')
const files = codeFiles()
const taken = [...files].flatMap(([file, source]) =>
  importsOf(source).map(({ from, names }) => ({ to: resolveImport(file, from), names })),
)

it('every export is used by another file', () => {
  const used = new Map<string, Set<string> | 'all'>()
  for (const { to, names } of taken) {
    const known = used.get(to) ?? new Set()
    if (known === 'all' || names === undefined) used.set(to, 'all')
    else used.set(to, new Set([...known, ...names]))
  }
  const isUsed = (file: string, name: string) => {
    const names = used.get(file)
    return names === 'all' || names?.has(name)
  }
  // What the SDK offers is used by other people's programs; two files are loaded under a name that is put together.
  const isOffered = (file: string) =>
    ['sdk/src/index.ts', 'sdk/test/consumer.js', 'sdk/build.js'].includes(file)
  const checked = [...files].filter(([file]) => !isTest(file) && !isOffered(file))
  const unused = checked.flatMap(([file, source]) =>
    exportsOf(source)
      .filter(name => !isUsed(file, name))
      .map(name => `${file}: ${name}`),
  )
  expect(checked.length).toBeGreaterThan(500)
  expect(unused).toEqual([])
})

it('what only tests use is defined in the tests', () => {
  const isProduction = (file: string) =>
    /^(contract|embedded-postgres|server|sdk)\/src\/|^server\/bin\/|^web\//.test(file) && !isTest(file)
  const production = [...files].filter(([file]) => isProduction(file))
  // Matched as words, because a lazy import does not list the names it uses.
  const uses = new Map<string, number>()
  for (const [, source] of production)
    for (const [word] of source.matchAll(/[\w$]+/g)) uses.set(word, (uses.get(word) ?? 0) + 1)
  const onlyDeclared = production
    .filter(([file]) => file !== 'sdk/src/index.ts')
    .flatMap(([file, source]) =>
      exportsOf(source)
        .filter(name => (uses.get(name) ?? 0) < 2)
        .map(name => `${file}: ${name}`),
    )
  expect(onlyDeclared).toEqual([])
})
