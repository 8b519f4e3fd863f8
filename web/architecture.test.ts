/** Protects the layout of the web (ARCHITECTURE.md): no circles, and dashboard and portal import nothing of each other. */
import { describe, expect, it } from 'vitest'
import { circlesIn, codeFiles, exportsOf, importsOf, resolveImport } from '../server/test/import-graph.ts'

const surfaces = ['dashboard', 'portal'] as const

const isTest = (file: string) => file.endsWith('.test.ts')
const files = new Map([...codeFiles()].filter(([file]) => /^web\/(dashboard|portal|ui)\//.test(file)))
const sources = new Map([...files].filter(([file]) => !isTest(file)))
const arrows = [...sources].flatMap(([from, source]) =>
  importsOf(source).map(({ from: spec, names }) => ({ from, to: resolveImport(from, spec), names })),
)
const inside = arrows.filter(({ to }) => sources.has(to))
const shown = (found: { from: string; to: string }[]) => found.map(({ from, to }) => `${from} → ${to}`)

/** `web/dashboard/payouts/payout.tsx` → dashboard, payouts; no area for files at the top of a surface. */
const placeOf = (file: string) => {
  const [, surface, ...rest] = file.split('/')
  return { surface, area: rest.length > 1 ? rest[0] : undefined }
}

it('reads imports of every form', () => {
  expect(sources.size).toBeGreaterThan(100)
  expect(shown(inside)).toEqual(
    expect.arrayContaining([
      'web/dashboard/router.tsx → web/dashboard/payouts/payout.tsx',
      'web/dashboard/shared/data-table.tsx → web/dashboard/shared/account.tsx',
      'web/portal/portal.tsx → web/portal/home/home.tsx',
    ]),
  )
})

it('every relative import leads to a file of the web', () => {
  const known = (to: string) => sources.has(to) || !to.startsWith('web/') || to.endsWith('.css')
  expect(shown(arrows.filter(({ to }) => !known(to)))).toEqual([])
})

it('there are no circles between files', () => {
  const graph = new Map([...sources.keys()].map(file => [file, [] as string[]]))
  for (const { from, to } of inside) graph.get(from)?.push(to)
  expect(circlesIn(graph)).toEqual([])
})

describe.each(surfaces)('%s', surface => {
  const own = inside.filter(({ from }) => placeOf(from).surface === surface)

  it('has no circles between its areas', () => {
    const graph = new Map<string, Set<string>>()
    for (const { from, to } of own) {
      const [upper, lower] = [placeOf(from), placeOf(to)]
      if (!upper.area || !lower.area || lower.surface !== surface || upper.area === lower.area) continue
      graph.set(upper.area, (graph.get(upper.area) ?? new Set()).add(lower.area))
      if (!graph.has(lower.area)) graph.set(lower.area, new Set())
    }
    expect(graph.size).toBeGreaterThan(5)
    expect(circlesIn(graph)).toEqual([])
  })

  it('imports nothing of the other surface', () => {
    const allowed = [surface, 'ui']
    expect(shown(own.filter(({ to }) => !allowed.includes(placeOf(to).surface as string)))).toEqual([])
  })

  it('has a shared/ that imports no area', () => {
    const wrong = own.filter(
      ({ from, to }) =>
        placeOf(from).area === 'shared' && placeOf(to).surface === surface && placeOf(to).area !== 'shared',
    )
    expect(shown(wrong)).toEqual([])
  })

  it('has no area that imports its router or its frame', () => {
    const wrong = own.filter(
      ({ from, to }) =>
        placeOf(from).area !== undefined && placeOf(to).surface === surface && placeOf(to).area === undefined,
    )
    expect(shown(wrong)).toEqual([])
  })

  it('has nothing in shared/ that only one area uses', () => {
    const shared = [...sources.keys()].filter(file => file.startsWith(`web/${surface}/shared/`))
    const usersOf = (file: string) =>
      new Set(own.filter(({ to }) => to === file).map(({ from }) => placeOf(from).area ?? from))
    const lonely = shared.filter(file => {
      const users = usersOf(file)
      return users.size < 2 && !users.has('shared')
    })
    expect(lonely).toEqual([])
  })
})

describe('ui', () => {
  it('imports neither dashboard nor portal', () => {
    const wrong = inside.filter(
      ({ from, to }) => placeOf(from).surface === 'ui' && placeOf(to).surface !== 'ui',
    )
    expect(shown(wrong)).toEqual([])
  })

  /** Whether a surface uses an export of ui/, itself or through another file of ui/. */
  function reaches(surface: string, file: string, name: string): boolean {
    return inside.some(({ from, to, names }) => {
      if (to !== file || (names !== undefined && !names.includes(name))) return false
      const user = placeOf(from).surface
      return (
        user === surface ||
        (user === 'ui' && exportsOf(sources.get(from) as string).some(each => reaches(surface, from, each)))
      )
    })
  }

  it('holds only what both dashboard and portal use', () => {
    const offered = [...sources]
      .filter(([file]) => file.startsWith('web/ui/'))
      .flatMap(([file, source]) => exportsOf(source).map(name => ({ file, name })))
    expect(offered.length).toBeGreaterThan(10)
    const wrong = offered.filter(({ file, name }) => !surfaces.every(surface => reaches(surface, file, name)))
    expect(wrong.map(({ file, name }) => `${file}: ${name}`)).toEqual([])
  })
})

it('query keys are built in one file per surface, and none is read by position', () => {
  const byHand = /queryKey:\s*\[|\bas QueryKey\b|\b(key|queryKey)\[\d/
  const wrong = [...sources].filter(([file, text]) => !file.endsWith('/query-keys.ts') && byHand.test(text))
  expect(wrong.map(([file]) => file)).toEqual([])
})

it('no cast to never hides a wrong link or call from the compiler', () => {
  expect([...sources].filter(([, text]) => /\bas never\b/.test(text)).map(([file]) => file)).toEqual([])
})

describe('the files of web', () => {
  it('have kebab-case names', () => {
    const name = /^([a-z0-9]+(-[a-z0-9]+)*)(\.[a-z]+)?(\.test)?\.tsx?$/
    expect([...files.keys()].filter(file => !name.test(file.split('/').at(-1) as string))).toEqual([])
  })

  it('are named for what they do', () => {
    const vague = /(^|[/.-])(utils?|helpers?|managers?|common|misc)([/.-]|$)/
    expect([...files.keys()].filter(file => vague.test(file))).toEqual([])
  })
})
