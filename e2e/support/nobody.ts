import { readFileSync } from 'node:fs'

/** The ids of the unprivileged system user. */
export function nobody(): { uid: number; gid: number } {
  const entry = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'))
  if (!entry) throw new Error('/etc/passwd has no user `nobody`')
  return { uid: Number(entry[1]), gid: Number(entry[2]) }
}
