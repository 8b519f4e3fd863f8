import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dirname, join as joinPosix } from 'node:path/posix'
import { projectRoot } from '../src/paths.ts'

export interface Manifest {
  name: string
  exports?: Record<string, string>
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

export const manifestOf = (workspace: string): Manifest =>
  JSON.parse(readFileSync(join(projectRoot, workspace, 'package.json'), 'utf8'))

export const workspaces: string[] = JSON.parse(
  readFileSync(join(projectRoot, 'package.json'), 'utf8'),
).workspaces

/** Everything that is written in TypeScript or JavaScript, by its path from the root of the project, with its text. */
export function codeFiles(): Map<string, string> {
  const files = [...workspaces, 'testing'].flatMap(workspace =>
    readdirSync(join(projectRoot, workspace), { recursive: true, encoding: 'utf8' })
      .filter(file => /\.(ts|tsx|js)$/.test(file) && !/(^|\/)(node_modules|dist[^/]*)\//.test(file))
      .map(file => `${workspace}/${file}`),
  )
  files.push('vitest.config.ts')
  return new Map(files.toSorted().map(file => [file, readFileSync(join(projectRoot, file), 'utf8')]))
}

interface Import {
  from: string
  /** The names that are taken; undefined where it may be any of them. */
  names: string[] | undefined
}

const statements = /(?:^|\n)\s*(?:import|export)\s+([^'"`;()]*?)\s*\bfrom\s+['"]([^'"]+)['"]/g
const lazyOrBare = /\bimport\(\s*(?:\/\*.*?\*\/\s*)*['"]([^'"]+)['"]|(?:^|\n)\s*import\s+['"]([^'"]+)['"]/g

const listed = (text: string) =>
  text
    .split(',')
    .map(part => part.trim().replace(/^type\s+/, ''))
    .filter(Boolean)

/** What a file imports or passes on. A lazy import counts for every name, since what is taken from it cannot be read off. */
export function importsOf(source: string): Import[] {
  const found: Import[] = []
  for (const [, clause = '', from = ''] of source.matchAll(statements)) {
    const braces = /\{([^}]*)\}/.exec(clause)
    const names = listed(braces?.[1] ?? '').map(part => part.split(/\s+as\s+/)[0] as string)
    found.push({ from, names: clause.includes('*') ? undefined : names })
  }
  for (const [, lazily, bare] of source.matchAll(lazyOrBare))
    found.push({ from: (lazily ?? bare) as string, names: lazily === undefined ? [] : undefined })
  return found
}

const declared =
  /(?:^|\n)export\s+(?:abstract\s+)?(?:async\s+)?(function\*?|const|let|class|interface|type)\s+([\w$]+)/g
const passedOn = /(?:^|\n)export\s+(?:type\s+)?\{([^}]*)\}/g

/** The names that a file offers to others. A type that the file itself uses is left out: it belongs to a signature. */
export function exportsOf(source: string): string[] {
  const lists = [...source.matchAll(passedOn)].flatMap(([, list = '']) => listed(list))
  const isUsedHere = (name: string) =>
    source.split(new RegExp(`\\b${name.replace('$', '\\$')}\\b`)).length > 2
  const names = [...source.matchAll(declared)]
    .filter(([, kind = '', name = '']) => !/interface|type/.test(kind) || !isUsedHere(name))
    .map(([, , name]) => name as string)
  return [...new Set([...names, ...lists.map(part => part.split(/\s+as\s+/).at(-1) as string)])]
}

/** The file that an import leads to, or the name of the package. */
export function resolveImport(file: string, from: string): string {
  if (from.startsWith('.')) return joinPosix(dirname(file), from)
  const workspace = workspaces.find(each => {
    const { name } = manifestOf(each)
    return from === name || from.startsWith(`${name}/`)
  })
  if (!workspace) return from
  const { name, exports = {} } = manifestOf(workspace)
  return joinPosix(workspace, exports[`.${from.slice(name.length)}`] ?? '')
}

/** Every way from something back to itself, as names in the order of the way. */
export function circlesIn(graph: Map<string, Iterable<string>>): string[] {
  const circles: string[] = []
  const done = new Set<string>()
  const visit = (name: string, trail: string[]): void => {
    const seen = trail.indexOf(name)
    if (seen >= 0) circles.push([...trail.slice(seen), name].join(' → '))
    if (seen >= 0 || done.has(name)) return
    for (const target of graph.get(name) ?? []) if (graph.has(target)) visit(target, [...trail, name])
    done.add(name)
  }
  for (const name of graph.keys()) visit(name, [])
  return circles
}
