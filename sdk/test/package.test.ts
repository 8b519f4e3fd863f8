/** The built package is self-contained, works as ESM and CommonJS, has the contract's types, and is small. */
import { spawn, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createContext, Script } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const LARGEST_GZIP_BYTES = 6_000

const checkout = join(import.meta.dirname, '../..')
const project = mkdtempSync(join(tmpdir(), 'tributary-sdk-'))
const installed = join(project, 'node_modules/@tributary/sdk')
const read = (name: string) => readFileSync(join(installed, name), 'utf8')

function run(command: string, args: string[], cwd = project): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', timeout: 60_000 })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`)
  return stdout
}
const node = (...args: string[]) => run(process.execPath, args)

/** The other dependencies of a consumer's project. */
function linkPackages(...names: string[]): void {
  for (const name of names) {
    const link = join(project, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    if (!existsSync(link)) symlinkSync(join(checkout, 'node_modules', name), link)
  }
}

/** Installed as from a registry: built, packed, and unpacked into a consumer's project. */
beforeAll(() => {
  node(join(checkout, 'sdk/build.js'))
  run('npm', ['pack', join(checkout, 'sdk/dist'), '--pack-destination', project, '--silent'])
  mkdirSync(installed, { recursive: true })
  const [tarball = ''] = readdirSync(project).filter(name => name.endsWith('.tgz'))
  run('tar', ['-xzf', tarball, '-C', installed, '--strip-components', '1'])
})
afterAll(() => rmSync(project, { recursive: true }))

describe('the package', () => {
  it('contains the code, its types, the licence and a README', () => {
    expect(readdirSync(installed).sort()).toEqual(
      ['LICENSE', 'README.md', 'index.cjs', 'index.d.cts', 'index.d.ts', 'index.js', 'package.json'].sort(),
    )
    expect(read('README.md')).toContain('new Tributary(')
  })

  it('has no dependencies', () => {
    const manifest = JSON.parse(read('package.json'))
    expect(Object.keys(manifest).filter(key => /dependencies|scripts|private/i.test(key))).toEqual([])
    expect(manifest.engines).toEqual({ node: '>=18' })
  })

  it('is small', () => {
    for (const file of ['index.js', 'index.cjs']) {
      const code = read(file)
      const gzipBytes = gzipSync(code).length
      console.info(`@tributary/sdk ${file}: ${code.length} bytes, ${gzipBytes} compressed`)
      expect(gzipBytes).toBeLessThan(LARGEST_GZIP_BYTES)
    }
  })
})

describe('the code', () => {
  it('works by import and by require', () => {
    expect(node(join(checkout, 'sdk/test/consumer.js'), installed)).toContain('works on Node')
    const names = 'Object.keys(sdk).sort().join()'
    const imported = node(
      '--input-type=module',
      '-e',
      `import * as sdk from '@tributary/sdk'; console.log(${names})`,
    )
    expect(imported).toBe(node('-e', `const sdk = require('@tributary/sdk'); console.log(${names})`))
    expect(imported).toBe(
      'Tributary,TributaryConnectionError,TributaryError,TributaryTimeoutError,WebhookVerificationError,verifyWebhook\n',
    )
  })

  it('imports nothing, except WebCrypto in Node 18', () => {
    for (const file of ['index.js', 'index.cjs']) {
      const code = read(file)
      expect(code).not.toMatch(/^\s*import\s|\bfrom ["']|\brequire\(|\bprocess\b|\bBuffer\b|__dirname/m)
      expect(code.match(/\bimport\([^)]*\)/g)).toEqual([
        expect.stringMatching(/@vite-ignore[\s\S]*webpackIgnore[\s\S]*name/),
      ])
    }
  })

  it('works with web APIs only', async () => {
    const { AbortController, Headers, TextDecoder, TextEncoder, URL, URLSearchParams } = globalThis
    const { clearTimeout, crypto, fetch, setTimeout } = globalThis
    const web = { AbortController, Headers, TextDecoder, TextEncoder, URL, URLSearchParams }
    const module = { exports: {} }
    const worker = createContext({
      ...web,
      clearTimeout,
      crypto,
      fetch,
      setTimeout,
      module,
      exports: module.exports,
    })
    new Script(read('index.cjs')).runInContext(worker)
    const { consume } = (await import(join(checkout, 'sdk/test/consumer.js'))) as {
      consume(sdk: object): Promise<void>
    }
    await consume(module.exports)
  })
})

describe('the types', () => {
  const tsc = (file: string, source: string, ...options: string[]) => {
    writeFileSync(join(project, file), source)
    const strict = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2022']
    return node(join(checkout, 'node_modules/typescript/bin/tsc'), ...strict, ...options, file)
  }
  const imports = (names: string, from: string) => `import ${names} from ${JSON.stringify(from)}\n`
  const nodeNext = ['--module', 'nodenext', '--lib', 'es2022,dom,dom.asynciterable', '--types', '']
  const program = `
    const tributary = new Tributary({ apiKey: 'trib_x', baseUrl: 'https://x.example' })
    export async function emails(signal: AbortSignal): Promise<string[]> {
      const found: string[] = []
      for await (const affiliate of tributary.affiliates.list({ status: 'approved' }, { signal })) found.push(affiliate.email)
      const { data, status } = await tributary.affiliates.create({ email: 'a@b.c', campaign_id: 1 }).withResponse()
      return status === 201 ? [...found, data.email] : found
    }
    // @ts-expect-error: a field that does not exist
    void tributary.affiliates.create({ email: 'a@b.c', campaign_id: 1, nickname: 'Jane' })
    const known: 'not_found' | string = new TributaryError('not_found', 'x').code
    console.log(known)`

  it.each(['mts', 'cts'])('check a program in .%s, and check themselves', extension => {
    const source = imports('{ Tributary, TributaryError }', '@tributary/sdk') + program
    expect(tsc(`program.${extension}`, source, ...nodeNext)).toBe('')
  })

  it.each(['sdk/README.md', 'docs/sdk.md'])('check every example of %s', page => {
    const text = readFileSync(join(checkout, page), 'utf8')
    const examples = [...text.matchAll(/^```ts.*\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code)
    expect(examples.length).toBeGreaterThan(1)
    const files = examples.map((_, index) => `example-${index}.mts`)
    for (const [index, code] of examples.entries()) writeFileSync(join(project, files[index] as string), code)
    linkPackages('fastify', '@types/node')
    const options = ['--module', 'nodenext', '--lib', 'es2023', '--types', 'node', '--noImplicitAny', 'false']
    // Express is not one of our dependencies, and its types do not matter here.
    expect(tsc('express.d.ts', "declare module 'express'", ...options, '--skipLibCheck', ...files)).toBe('')
  })

  it('are those of the contract, one by one', () => {
    const names = [...read('index.d.ts').matchAll(/^(?:interface|type) (\w+) (?:=|\{)/gm)].map(
      ([, name]) => name,
    )
    const contract = join(checkout, 'contract/src/index.ts')
    const exported = readFileSync(join(checkout, 'sdk/src/index.ts'), 'utf8')
    const shared = /\{([^}]+)\} from '@tributary\/contract'/.exec(exported)?.[1]?.match(/\w+/g) ?? []
    expect(shared.length).toBeGreaterThan(25)
    expect(names).toEqual(expect.arrayContaining(shared))
    const source = `
      ${imports('type * as Sdk', '@tributary/sdk')}
      ${imports('type * as Contract', contract)}
      type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
      ${shared.map(name => `export const same${name}: Same<Sdk.${name}, Contract.${name}> = true`).join('\n')}
      // @ts-expect-error: so that this test can fail
      export const other: Same<Sdk.Affiliate, Contract.Campaign> = true`
    const bundler = ['--module', 'esnext', '--moduleResolution', 'bundler', '--allowImportingTsExtensions']
    const rest = ['--skipLibCheck', '--lib', 'es2023,dom', '--types', '']
    expect(tsc('same.ts', source, ...bundler, ...rest)).toBe('')
  })
})

describe('the receivers of docs/sdk.md', () => {
  const page = readFileSync(join(checkout, 'docs/sdk.md'), 'utf8')
  const secret = 'whsec_x'
  const body = JSON.stringify({ id: 1, type: 'promoter.approved', data: { email: 'jane@example.com' } })

  /** The example as JavaScript in the project, where its imports resolve. */
  function compile(name: string): string {
    linkPackages('fastify', '@types/node')
    writeFileSync(join(project, `${name}.mts`), page.split(`\`\`\`ts ${name}\n`)[1]?.split('```')[0] ?? '')
    const options = ['--module', 'nodenext', '--types', 'node', '--skipLibCheck', '--outDir', '.']
    node(join(checkout, 'node_modules/typescript/bin/tsc'), ...options, `${name}.mts`)
    return join(project, `${name}.mjs`)
  }

  function signed(key: string) {
    const t = Math.floor(Date.now() / 1000)
    const v1 = createHmac('sha256', key).update(`${t}.${body}`).digest('hex')
    const headers = { 'content-type': 'application/json', 'tributary-signature': `t=${t},v1=${v1}` }
    return { method: 'POST', headers, body }
  }

  it('on Workers', async () => {
    const { default: worker } = await import(compile('worker'))
    const status = async (key: string) =>
      (
        await worker.fetch(new Request('https://x.example', signed(key)), {
          TRIBUTARY_WEBHOOK_SECRET: secret,
        })
      ).status
    expect([await status(secret), await status('whsec_y')]).toEqual([200, 400])
  })

  it('on Fastify', async () => {
    const PORT = String(await freePort())
    const env = { ...process.env, PORT, TRIBUTARY_WEBHOOK_SECRET: secret }
    const receiver = spawn(process.execPath, [compile('fastify')], { env, stdio: 'ignore' })
    try {
      const status = async (key: string) =>
        (await fetch(`http://localhost:${PORT}/webhooks`, signed(key))).status
      await expect.poll(() => status(secret).catch(() => 'not there yet')).toBe(200)
      expect(await status('whsec_y')).toBe(400)
    } finally {
      receiver.kill()
      await once(receiver, 'exit')
    }
  })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, 'localhost')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
