// Packs the SDK as npm does, so that every installation serves its own version: `npm install https://…/sdk/….tgz`.
// Reproducible: the lock files of other projects contain the tarball's digest.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { buildSdk } from './build.js'

const BLOCK_BYTES = 512
/** The modification time that npm gives every file of a package. */
const MODIFIED_SECONDS = 499_162_500

const octal = (value, length) => `${value.toString(8).padStart(length - 1, '0')}\0`

/** A file as an entry of a ustar archive. */
function entry(name, content) {
  const header = Buffer.alloc(BLOCK_BYTES)
  const fields = [
    [0, name],
    [100, octal(0o644, 8)],
    [108, octal(0, 8)],
    [116, octal(0, 8)],
    [124, octal(content.length, 12)],
    [136, octal(MODIFIED_SECONDS, 12)],
    // The checksum is computed with spaces in its own field.
    [148, ' '.repeat(8)],
    [156, '0'],
    [257, 'ustar\0'],
    [263, '00'],
  ]
  for (const [at, text] of fields) header.write(text, at, 'latin1')
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  const padding = Buffer.alloc((BLOCK_BYTES - (content.length % BLOCK_BYTES)) % BLOCK_BYTES)
  return Buffer.concat([header, content, padding])
}

/** The files of a folder in the layout of an npm package. */
function tarball(folder) {
  const names = readdirSync(folder).sort()
  const entries = names.map(name => entry(`package/${name}`, readFileSync(join(folder, name))))
  const archive = gzipSync(Buffer.concat([...entries, Buffer.alloc(2 * BLOCK_BYTES)]), { level: 9 })
  // The tenth byte is the operating system: 255 is unknown.
  archive[9] = 255
  return archive
}

/** Writes the tarball into a new folder. */
export async function packSdk(folder) {
  const built = mkdtempSync(join(tmpdir(), 'tributary-sdk-'))
  try {
    await buildSdk(built)
    const { version } = JSON.parse(readFileSync(join(built, 'package.json'), 'utf8'))
    const name = `tributary-sdk-${version}.tgz`
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, name), tarball(built))
  } finally {
    rmSync(built, { recursive: true, force: true })
  }
}
