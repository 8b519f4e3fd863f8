import { join } from 'node:path'
import { inject } from 'vitest'
import { copyDirectory } from './copy-directory.ts'
import type { Mail } from './mail-server.ts'
import { createProgramme, type Programme } from './programme.ts'
import type { PreparedData, SharedService } from './shared-parts.ts'
import { rememberDataDir, temporaryDirectory } from './temporary.ts'

async function ask<T>(part: string, query: Record<string, string> = {}): Promise<T> {
  const answer = await fetch(`${inject('sharedParts')}/${part}?${new URLSearchParams(query)}`)
  if (!answer.ok) throw new Error(await answer.text())
  return (await answer.json()) as T
}

async function copyOf(original: string): Promise<string> {
  const dataDir = join(await temporaryDirectory(), 'data')
  await copyDirectory(original, dataDir)
  rememberDataDir(dataDir)
  return dataDir
}

/** A separate data directory with a migrated database and no account, without waiting for initdb. */
export const emptyDataDir = async () => copyOf(await ask<string>('empty'))

/** The same with an account and its campaign. */
export async function preparedDataDir(): Promise<PreparedData> {
  const { dataDir, programme } = await ask<PreparedData>('prepared')
  return { dataDir: await copyOf(dataDir), programme }
}

/** The service shared by all files that do not need their own. */
export const sharedService = () => ask<SharedService>('service')

/** A separate account in the shared service. */
export async function sharedProgramme(): Promise<SharedService & { programme: Programme }> {
  const service = await sharedService()
  return { ...service, programme: await createProgramme(service.env) }
}

/** Where the browser is, and where browsers write what would go to the user's home. */
export const sharedBrowser = () => ask<{ path: string; home: string }>('browser')

/** Waits for the shared service's first email to this address whose subject matches. */
export const takeMail = (to: string, subject: RegExp) => ask<Mail>('mail', { to, subject: subject.source })
