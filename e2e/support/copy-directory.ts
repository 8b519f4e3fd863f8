import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** With owners and modes: as root, PostgreSQL runs under another user. */
export async function copyDirectory(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', from, to])
}
