import { isAbsolute, join, relative } from 'node:path'
import type { Node, SourceFile } from 'typescript/unstable/ast'
import { API, type Checker, type Project } from 'typescript/unstable/sync'
import { projectRoot } from '../../src/paths.ts'

/** The sources as the compiler sees them. Its interface is marked unstable: all that uses it stands in this folder. */
export interface Sources {
  checker: Checker
  project: Project
  /** The service's own files, without tests. */
  files: SourceFile[]
  close(): void
}

export function openSources(): Sources {
  const api = new API({ cwd: projectRoot })
  const config = join(projectRoot, 'tsconfig.json')
  const project = api.updateSnapshot({ openProjects: [config] }).getProject(config)
  if (!project) throw new Error('The compiler does not open tsconfig.json.')
  const own = join(projectRoot, 'server/src/')
  const files = project.rootFiles
    .filter(file => file.startsWith(own) && !file.endsWith('.test.ts'))
    .map(file => project.program.getSourceFile(file) as SourceFile)
  return { checker: project.checker, project, files, close: () => api.close() }
}

export function placeOf(node: Node, file: SourceFile): string {
  const line = file.text.slice(0, node.getStart(file)).split('\n').length
  const path = isAbsolute(file.fileName) ? relative(projectRoot, file.fileName) : file.fileName
  return `${path}:${line}`
}
