import type { Settings } from '../config.ts'
import type { SecretBox } from '../kit/secret-box.ts'
import type { Db } from './database.ts'

/** Shared for the lifetime of the process. */
export interface Services {
  db: Db
  secrets: SecretBox
  settings: Settings
  /** The service's public URL, without a trailing slash. */
  baseUrl: string
}
