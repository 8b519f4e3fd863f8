/** Protects the layers of ARCHITECTURE.md: every import points down, and there are no cycles between files or between folders. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { describe, expect, it } from 'vitest'
import {
  circlesIn,
  codeFiles,
  importsOf,
  type Manifest,
  manifestOf,
  resolveImport,
  workspaces,
} from './import-graph.ts'
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
const edges = [...server].flatMap(([from, targets]) => targets.map(to => ({ from, to })))
const inside = edges.filter(({ to }) => to.startsWith('server/src/'))
const shown = (found: { from: string; to: string }[]) => found.map(({ from, to }) => `${from} → ${to}`)

/** The folders of a file in server/src, the outermost first: none for files directly in it, such as the settings. */
const foldersOf = (file: string) => file.split('/').slice(2, -1)
const isIn = (file: string, ...folders: string[]) =>
  folders.some(folder => file.startsWith(`server/src/${folder}/`))
/** As listed in ARCHITECTURE.md, the topmost first. */
const layers = (
  /## Layers\n[\s\S]*?```\n([\s\S]*?)```/.exec(readFileSync('ARCHITECTURE.md', 'utf8'))?.[1] ?? ''
)
  .trim()
  .split('\n')
  .map(layer => (layer.split('  ')[0] as string).split(' | '))
const layerOf = (folder: string | undefined) =>
  folder === undefined ? Infinity : layers.findIndex(folders => folders.includes(folder))

it('reads imports of every form', () => {
  expect(server.size).toBeGreaterThan(80)
  expect(server.get('server/src/runtime/service.ts')).toEqual(
    expect.arrayContaining(['server/src/http/app.ts', 'prom-client']),
  )
  expect(server.get('server/src/main.ts')).toContain('server/src/commands/command-line.ts')
})

it('every folder has a layer, and every layer its folders', () => {
  const folders = new Set([...server.keys()].flatMap(file => foldersOf(file).slice(0, 1)))
  expect([...folders].toSorted()).toEqual(layers.flat().toSorted())
})

it('every import between layers points down; folders of one layer do not import each other', () => {
  const wrong = inside.filter(({ from, to }) => {
    const [[above], [below]] = [foldersOf(from), foldersOf(to)]
    return above !== undefined && above !== below && layerOf(below) <= layerOf(above)
  })
  expect(shown(wrong)).toEqual([])
})

it('five files make outbound calls: webhooks, rates, PayPal, Stripe and mail, each to a configured address', () => {
  const clients = /^(undici|nodemailer)$/
  const callers = new Set(edges.filter(({ to }) => clients.test(to)).map(({ from }) => from))
  // The types and the signatures of Stripe's package need no connection.
  for (const [file, source] of sourceFiles('server/src')) if (/\bnew Stripe\(/.test(source)) callers.add(file)
  expect([...callers].toSorted()).toEqual([
    'server/src/connectors/stripe/stripe-client.ts',
    'server/src/mail/servers/open-transport.ts',
    'server/src/money/fx/fetch-rates.ts',
    'server/src/money/rails/paypal.ts',
    'server/src/webhooks/delivery/send-attempt.ts',
  ])
  const bareCall = /(?<![\w.$])fetch\(|\bhttps?\.(get|request)\(/
  const others = [...sourceFiles('server/src')].filter(
    ([file, source]) => !isTest(file) && bareCall.test(source),
  )
  expect(others.map(([file]) => file)).toEqual([])
})

it('kit imports nothing of ours except the contract', () => {
  const wrong = edges.filter(({ from, to }) => {
    const isOurs = /^(server\/|@tributary\/)/.test(to)
    return isIn(from, 'kit') && isOurs && !isIn(to, 'kit') && !/^@tributary\/contract/.test(to)
  })
  expect(shown(wrong)).toEqual([])
})

it.each(['money/ledger', 'webhooks/outbox'])('%s imports only db, kit and the contract', folder => {
  const wrong = edges.filter(
    ({ from, to }) => isIn(from, folder) && to !== '@tributary/contract' && !isIn(to, folder, 'db', 'kit'),
  )
  expect(shown(wrong)).toEqual([])
})

it('delivery renders nothing: it imports no presenter', () => {
  const wrong = inside.filter(({ from, to }) => isIn(from, 'webhooks/delivery') && to.includes('.presenter.'))
  expect(shown(wrong)).toEqual([])
})

it('only stores, the database layer and its monitoring write SQL', () => {
  const mayWrite =
    /\.store\.ts$|^server\/src\/(db|money\/ledger|webhooks\/outbox|runtime)\/|^server\/src\/http\/readiness\.ts$/
  const wrong = inside.filter(({ from, to }) => to === 'server/src/db/sql.ts' && !mayWrite.test(from))
  expect(shown(wrong)).toEqual([])
})

it('no statement disables a trigger', () => {
  const off = /\bDISABLE TRIGGER\b|session_replication_role/i
  const files = [...sourceFiles('server/src')].filter(([, source]) => off.test(source))
  expect(files.map(([file]) => file)).toEqual([])
})

describe('there are no cycles', () => {
  it('between files', () => {
    expect(circlesIn(server)).toEqual([])
  })

  const depths = [...new Set([...server.keys()].map(file => foldersOf(file).length))].filter(
    depth => depth > 0,
  )
  it.each(depths)('between folders %i deep', depth => {
    const at = (file: string) => foldersOf(file).slice(0, depth).join('/')
    const graph = new Map<string, Set<string>>()
    for (const { from, to } of inside) {
      const [upper, lower] = [at(from), at(to)]
      // Files directly in server/src belong to no folder, and a folder and its subfolders may import each other.
      if (!upper || !lower || `${upper}/`.startsWith(`${lower}/`) || `${lower}/`.startsWith(`${upper}/`))
        continue
      graph.set(upper, (graph.get(upper) ?? new Set()).add(lower))
      if (!graph.has(lower)) graph.set(lower, new Set())
    }
    expect(graph.size).toBeGreaterThan(2)
    expect(circlesIn(graph)).toEqual([])
  })

  it('and one would be found', () => {
    expect(
      circlesIn(
        new Map([
          ['a', ['b']],
          ['b', ['c']],
          ['c', ['b']],
        ]),
      ),
    ).toEqual(['b → c → b'])
  })
})

describe('other workspaces', () => {
  const foreign = (folder: string, allowed: RegExp) =>
    [...readImports(folder)].flatMap(([from, targets]) =>
      targets.filter(to => !to.startsWith(`${folder}/`) && !allowed.test(to)).map(to => `${from} → ${to}`),
    )

  it('the contract imports nothing of the server', () => {
    expect(foreign('contract', /^(typebox|node:|vitest$|fast-check$)/)).toEqual([])
  })

  it('the embedded PostgreSQL is independent of the program that uses it: neither its files nor its name occur', () => {
    expect(foreign('embedded-postgres', /^(pg|rolldown|vitest)$|^node:/)).toEqual([])
    const files = [...sourceFiles('embedded-postgres')]
    expect(files.length).toBeGreaterThan(15)
    expect(files.filter(([, source]) => /tributary/i.test(source)).map(([file]) => file)).toEqual([])
  })

  it('one file of the server imports the embedded PostgreSQL', () => {
    const users = edges.filter(({ to }) => to.startsWith('@tributary/embedded-postgres'))
    expect([...new Set(users.map(({ from }) => from))]).toEqual(['server/src/db/embedded-database.ts'])
  })

  it('the sdk imports only the contract', () => {
    expect(foreign('sdk', /^(@tributary\/contract$|typebox$|node:|vitest$|fast-check$)/)).toEqual([])
  })

  it('e2e imports only the contract and the sdk from the project', () => {
    const packages = /^(?!@tributary\/)(@?[a-z][^/]*:|@?[a-z-]+(\/|$))/
    expect(
      foreign('e2e', /^@tributary\/(contract|sdk)$/).filter(
        arrow => !packages.test(arrow.split(' → ')[1] as string) || /→ (server|web|bench)\//.test(arrow),
      ),
    ).toEqual([])
  })
})

it('testing holds what several suites share and imports none of them; the server tests need no other suite', () => {
  const suites = /^(server|e2e|bench|web|sdk)\//
  const reach = (folder: string, wrong: RegExp) =>
    [...readImports(folder)].flatMap(([from, targets]) =>
      targets.filter(to => wrong.test(to)).map(to => `${from} → ${to}`),
    )
  expect(reach('testing', suites)).toEqual([])
  expect(reach('server', /^(e2e|bench)\//)).toEqual([])
})

describe.each([
  'contract',
  'embedded-postgres',
  'server/src',
  'server/test',
  'sdk',
  'e2e',
  'bench',
  'testing',
])('the files of %s', folder => {
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

  it('what runs in production is no development dependency', () => {
    for (const [workspace, production] of [
      ['server', /^server\/(src|bin)\//],
      ['contract', /^contract\/src\//],
      ['embedded-postgres', /^embedded-postgres\/src\//],
      ['sdk', /^sdk\/src\//],
      ['web', /^web\//],
    ] as const) {
      const known = Object.keys(manifestOf(workspace).dependencies ?? {})
      const needed = importedBy(workspace, file => production.test(file) && !isTest(file))
      expect([workspace, [...needed].filter(name => !known.includes(name))]).toEqual([workspace, []])
    }
  })

  it.each(workspaces)('%s imports every package that it declares', workspace => {
    const imported = importedBy(workspace)
    const text = [...files].filter(([file]) => file.startsWith(`${workspace}/`)).map(([, source]) => source)
    // Types belong to a package that is imported; some are named in a text and resolved at run time; one is a peer of another.
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
