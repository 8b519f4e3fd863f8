import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../src/paths.ts'

/** The TypeScript files below a folder of the project, by their path from its root, with their text. */
export function sourceFiles(folder: string): Map<string, string> {
  const files = readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts') && !/(^|\/)(node_modules|dist)\//.test(file))
    .map(file => `${folder}/${file}`)
  return new Map(files.toSorted().map(file => [file, readFileSync(join(projectRoot, file), 'utf8')]))
}
