// Loads the bundled program from bytecode that its build compiled ahead: compiling the sources took a quarter of a start's processor time.
//
// The bytecode of a file lies beside it, after a checksum of both files and the Node.js that compiled them: V8 checks its own version and
// options, but not whether the bytes are intact. Bytecode that is missing, damaged or of another Node.js isn't used; the source is compiled.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import Module, { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'

const CHECKSUM_BYTES = 32
const bytecodeFile = file => `${file}.bytecode`

const checksum = (source, bytecode) =>
  createHash('sha256').update(`${process.version} ${process.arch}`).update(source).update(bytecode).digest()

/** Named without its folder, which V8 would take from the bytecode: a build is renamed once it is complete. */
const scriptOf = (file, source, cachedData) =>
  new Script(Module.wrap(source.toString()), { filename: `program/${basename(file)}`, cachedData })

/** Compiles the files of a program. All of their functions: the ones that a start needs are known only by running it. */
export function compileProgram(folder) {
  for (const name of readdirSync(folder).filter(name => name.endsWith('.cjs'))) {
    const file = join(folder, name)
    const source = readFileSync(file)
    setFlagsFromString('--no-lazy')
    const script = scriptOf(file, source)
    // V8 records its options with the bytecode, and refuses it under other ones.
    setFlagsFromString('--lazy')
    const bytecode = script.createCachedData()
    writeFileSync(bytecodeFile(file), Buffer.concat([checksum(source, bytecode), bytecode]))
  }
}

function bytecodeOf(file, source) {
  let content
  try {
    content = readFileSync(bytecodeFile(file))
  } catch {
    return undefined
  }
  const bytecode = content.subarray(CHECKSUM_BYTES)
  return checksum(source, bytecode).equals(content.subarray(0, CHECKSUM_BYTES)) ? bytecode : undefined
}

/** Loads `main.cjs` of a program, and its other files as they are required. */
export function loadProgram(folder) {
  const requireInstalled = createRequire(join(folder, 'main.cjs'))
  // Node.js reads source maps only for files that it loads itself.
  if (process.sourceMapsEnabled) return requireInstalled('./main.cjs')
  const modules = new Map()

  function load(name) {
    const loaded = modules.get(name)
    if (loaded) return loaded.exports
    const file = join(folder, name)
    const source = readFileSync(file)
    const run = scriptOf(file, source, bytecodeOf(file, source)).runInThisContext()
    const module = { exports: {} }
    modules.set(name, module)
    try {
      run.call(module.exports, module.exports, require, module, file, folder)
      return module.exports
    } catch (error) {
      // The next caller tries again.
      modules.delete(name)
      throw error
    }
  }

  const require = id => (id.startsWith('./') ? load(id.slice(2)) : requireInstalled(id))
  return load('main.cjs')
}
