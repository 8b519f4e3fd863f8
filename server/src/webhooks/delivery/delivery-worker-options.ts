import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import type { Clock } from '../../kit/clock.ts'
import type { SecretBox } from '../../kit/secret-box.ts'
import type { DeliveryMetrics } from './delivery-metrics.ts'
import type { Sender } from './send-attempt.ts'

export interface DeliveryWorkerOptions {
  db: Database
  secrets: SecretBox
  sender: Sender
  clock: Clock
  log: Logger
  metrics: DeliveryMetrics
}
