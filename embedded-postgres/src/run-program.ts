import { type SpawnOptions, spawn } from 'node:child_process'
import { messageOf } from './embedded-postgres-error.ts'

/** The user that PostgreSQL runs under when we are root, because PostgreSQL refuses to run as root. */
export interface ServerUser {
  uid: number
  gid: number
}

/**
 * How every PostgreSQL program is run: under `user` if we are root, from a directory that user can enter,
 * and without our environment, since the operator's PGDATA, PGOPTIONS or LD_PRELOAD is not meant for it.
 */
export function programOptions(user: ServerUser | undefined): SpawnOptions {
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
  // Node takes ids as signed 32-bit numbers, and `nobody` is 4294967294 on macOS.
  return { cwd: '/', env, ...(user && { uid: user.uid | 0, gid: user.gid | 0 }) }
}

export interface ProgramResult {
  succeeded: boolean
  /** Standard output and standard error, for the message to the operator. */
  output: string
}

/** Runs a program to completion. Failing to start is a result too: callers have a fallback. */
export async function runProgram(
  program: string,
  args: readonly string[],
  options: { user: ServerUser | undefined; input?: string },
): Promise<ProgramResult> {
  try {
    return await new Promise<ProgramResult>((resolve, reject) => {
      const child = spawn(program, args, { ...programOptions(options.user), stdio: 'pipe' })
      let output = ''
      const collect = (chunk: Buffer) => {
        output += chunk.toString('utf8')
      }
      child.stdout?.on('data', collect)
      child.stderr?.on('data', collect)
      child.on('error', reject)
      child.on('close', code => resolve({ succeeded: code === 0, output: output.trim() }))
      // A program that exits before reading its input breaks the pipe; its exit code says why.
      child.stdin?.on('error', () => undefined)
      child.stdin?.end(options.input ?? '')
    })
  } catch (error) {
    return { succeeded: false, output: messageOf(error) }
  }
}
