import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { once } from '../../kit/once.ts'
import { docsFolder } from '../../paths.ts'
import { type StoredResponse, storeResponse } from '../response/stored-response.ts'

/** Folders of docs/ whose files the guides show or link to. */
const folders = ['images', 'deploy', 'grafana']

/** Anything else, such as configuration files, is served as text. */
const types: Record<string, string> = { '.png': 'image/png', '.svg': 'image/svg+xml' }

/** The files by their path below docs/. Only these can be requested: no folders, no symlinks, nothing outside. */
const files = once(() => {
  const found = new Map<string, () => StoredResponse>()
  for (const folder of folders)
    for (const entry of readdirSync(join(docsFolder, folder), { withFileTypes: true })) {
      const type = types[extname(entry.name)] ?? 'text/plain; charset=utf-8'
      const read = () => storeResponse(type, readFileSync(join(docsFolder, folder, entry.name)))
      if (entry.isFile()) found.set(`${folder}/${entry.name}`, once(read))
    }
  return found
})

export const documentationFile = (path: string): StoredResponse | undefined => files().get(path)?.()
