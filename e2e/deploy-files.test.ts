/** Protects deployments that use our files: every file and setting they name exists. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkout } from './support/program.ts'

const read = (path: string) => readFileSync(join(checkout, path), 'utf8')
const deployed = readdirSync(join(checkout, 'docs/deploy')).map(name => `docs/deploy/${name}`)
const files = ['Dockerfile', 'compose.yaml', ...deployed]

describe('the Dockerfile', () => {
  const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources]) =>
    (sources as string).split(' '),
  )
  const built = [...read('Dockerfile').matchAll(/^COPY --from=build (.+) \S+$/gm)].flatMap(([, sources]) =>
    (sources as string).split(' ').map(path => path.replace('/app/', '')),
  )

  test('copies files that exist', () => {
    expect(copied.length).toBeGreaterThan(10)
    expect([...copied, ...built].filter(path => !existsSync(join(checkout, path)))).toEqual([])
  })

  test('copies every workspace package, and .dockerignore allows what it copies', () => {
    const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] }
    expect(workspaces.filter(name => !copied.includes(`${name}/package.json`))).toEqual([])
    const allowed = [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path]) => path as string)
    const isAllowed = (path: string) => allowed.some(one => path === one || path.startsWith(`${one}/`))
    expect(copied.filter(path => !isAllowed(path))).toEqual([])
  })

  test('contains every file that the program reads at run time', () => {
    const pages = readdirSync(join(checkout, 'web')).filter(name => /\.(css|svg|js)$/.test(name))
    expect(pages.filter(name => !built.includes(`web/${name}`))).toEqual([])
  })
})

test.each(files)('%s names settings that exist', path => {
  const known = new Set([...read('.env.example').matchAll(/^#([A-Z_]+)=/gm)].map(([, name]) => name))
  const named = [...read(path).matchAll(/\b(TRIBUTARY_[A-Z_]+[A-Z]|DATABASE_URL(?:_FILE)?)\b/g)]
  const unknown = named.map(([name]) => name.replace(/_FILE$/, '')).filter(name => !known.has(name))
  expect(unknown).toEqual([])
})

test('every secret in the compose file has a file that the script creates', () => {
  const compose = read('compose.yaml')
  const script = read('docs/deploy/create-secrets.sh')
  const used = new Set([...compose.matchAll(/\/run\/secrets\/(\w+)/g)].map(([, name]) => name as string))
  expect(used.size).toBeGreaterThan(3)
  for (const name of used) {
    expect(compose).toContain(`file: ./secrets/${name}\n`)
    expect(script).toMatch(new RegExp(`\\b${name}\\b`))
  }
})

test('scripts are executable', () => {
  const scripts = deployed.filter(path => path.endsWith('.sh'))
  expect(scripts.filter(path => (statSync(join(checkout, path)).mode & 0o111) === 0)).toEqual([])
})
