// Builds the package for installation in other projects: sdk/dist, with its own manifest. Inside this workspace the sources are
// used directly, so tests need no build. `pack.js` makes the tarball that the service serves.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'rolldown'
import { bundleDeclarations } from './declarations.js'

const sdk = dirname(fileURLToPath(import.meta.url))
const input = join(sdk, 'src/index.ts')

/** Loads the contract's schemas, which are TypeScript, into this process. */
async function loadContract() {
  const contract = join(sdk, '../contract/src/index.ts')
  const { output } = await build({
    input: contract,
    write: false,
    output: { format: 'esm' },
    logLevel: 'warn',
  })
  return import(`data:text/javascript;base64,${Buffer.from(output[0].code).toString('base64')}`)
}

function manifest() {
  const { name, version, description, license, engines } = JSON.parse(readFileSync(join(sdk, 'package.json')))
  const condition = (types, code) => ({ types: `./${types}`, default: `./${code}` })
  return {
    name,
    version,
    description,
    license,
    engines,
    type: 'module',
    sideEffects: false,
    main: './index.cjs',
    types: './index.d.cts',
    exports: {
      '.': { import: condition('index.d.ts', 'index.js'), require: condition('index.d.cts', 'index.cjs') },
      './package.json': './package.json',
    },
  }
}

/** Builds the package into a folder and returns the size of its code in bytes, uncompressed and compressed. */
export async function buildSdk(dist = join(sdk, 'dist')) {
  rmSync(dist, { recursive: true, force: true })
  mkdirSync(dist, { recursive: true })
  const write = (name, text) => writeFileSync(join(dist, name), text)
  for (const [file, format] of [
    ['index.js', 'esm'],
    ['index.cjs', 'cjs'],
  ])
    await build({
      input,
      // File names in the code are relative to this folder.
      cwd: sdk,
      platform: 'neutral',
      // Not minified: it is small, and stays readable when debugging.
      output: { file: join(dist, file), format, comments: { jsdoc: false, legal: false } },
      logLevel: 'warn',
    })
  const declarations = bundleDeclarations(input, await loadContract())
  write('index.d.ts', declarations)
  write('index.d.cts', declarations)
  write('package.json', `${JSON.stringify(manifest(), null, 2)}\n`)
  copyFileSync(join(sdk, 'README.md'), join(dist, 'README.md'))
  copyFileSync(join(sdk, '../LICENSE'), join(dist, 'LICENSE'))
  const code = readFileSync(join(dist, 'index.js'))
  return { bytes: code.length, gzipBytes: gzipSync(code).length }
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const { bytes, gzipBytes } = await buildSdk()
  console.log(`@tributary/sdk: ${bytes} bytes, ${gzipBytes} compressed`)
}
