/** Protects every start and command: bytecode makes them faster, and must never change or break what the sources say. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const loader = new URL('../bin/program.js', import.meta.url)

let scratch: string
let folder: string
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'tributary-program-'))
  folder = mkdtempSync(join(scratch, 'program-'))
})
afterEach(() => rmSync(scratch, { recursive: true }))

function run(code: string, ...options: string[]): { stdout: string; stderr: string } {
  const program = `import { compileProgram, loadProgram } from '${loader}'\n${code}`
  const args = [...options, '--input-type=module', '-e', program]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect(status, stderr).toBe(0)
  return { stdout, stderr }
}
const load = (...options: string[]) => run(`loadProgram('${folder}')`, ...options).stdout.trim()
const compile = () => run(`compileProgram('${folder}')`)
const write = (name: string, source: string) => writeFileSync(join(folder, name), source)
const bytecode = () => join(folder, 'part.cjs.bytecode')

/** Both sources are of the same length, which is all that V8 compares. */
function writePart(word: 'old' | 'new'): void {
  write('main.cjs', `console.log(require('./part.cjs').word())`)
  write('part.cjs', `exports.word = () => { const word = '${word}'; return word }`)
}

/** As the build writes it, but for any source. */
function seal(code: Buffer): void {
  const checksum = createHash('sha256').update(`${process.version} ${process.arch}`)
  const source = readFileSync(join(folder, 'part.cjs'))
  writeFileSync(bytecode(), Buffer.concat([checksum.update(source).update(code).digest(), code]))
}

test('the bytecode runs instead of the source, with every function compiled', () => {
  writePart('old')
  compile()
  writePart('new')
  seal(readFileSync(bytecode()).subarray(32))
  expect(load()).toBe('old')
})

test('the source is compiled if V8 runs with other options than the build', () => {
  writePart('old')
  compile()
  writePart('new')
  seal(readFileSync(bytecode()).subarray(32))
  expect(load('--no-opt')).toBe('new')
})

test('bytecode of another source, damaged at any place, cut off, empty or missing is not used', () => {
  writePart('old')
  compile()
  const whole = readFileSync(bytecode())
  writePart('new')
  expect(load()).toBe('new')
  writePart('old')
  const places = [0, 31, 32, Math.floor(whole.length / 2), whole.length - 1]
  const damaged = places.map(place =>
    Buffer.from(whole).fill((whole[place] as number) ^ 0x55, place, place + 1),
  )
  for (const content of [...damaged, whole.subarray(0, 100), whole.subarray(0, 20), Buffer.alloc(0)]) {
    writeFileSync(bytecode(), content)
    expect(load()).toBe('old')
  }
  rmSync(bytecode())
  expect(load()).toBe('old')
})

test('an error names its file and line, not the folder that the build was made in', () => {
  write('main.cjs', `console.log(require('./part.cjs').failure().stack)`)
  write('part.cjs', `\nexports.failure = () => new Error('expected')`)
  const place = '(program/part.cjs:2:25)'
  expect(load()).toContain(place)
  compile()
  renameSync(folder, `${folder}-moved`)
  folder = `${folder}-moved`
  expect(load()).toContain(place)
  expect(load('--enable-source-maps')).toContain(`(${join(folder, 'part.cjs')}:2:25)`)
})

test('files load once and may require each other; one that failed is tried again', () => {
  write(
    'main.cjs',
    `exports.name = 'main'; const a = require('./a.cjs'); console.log(a === require('./a.cjs'), a.sees)
    for (const attempt of [1, 2]) try { require('./part.cjs') } catch (error) { console.log(error.message) }`,
  )
  write(
    'a.cjs',
    `exports.sees = [require('./main.cjs').name, typeof require('node:fs').readFileSync, __dirname]`,
  )
  write(
    'part.cjs',
    `globalThis.attempts = (globalThis.attempts ?? 0) + 1; throw new Error(globalThis.attempts)`,
  )
  const plain = load()
  compile()
  expect(load()).toBe(plain)
  expect(plain).toBe(`true [ 'main', 'function', '${folder}' ]\n1\n2`)
})
