import type { Settings } from '../config.ts'
import type { SecretBox } from '../kit/secret-box.ts'
import type { Db } from './database.ts'

/** What the parts of the program share for as long as it runs. */
export interface Services {
  db: Db
  secrets: SecretBox
  settings: Settings
  /** Where the outside world reaches the service, without a slash at the end. */
  baseUrl: string
}
