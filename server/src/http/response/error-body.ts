import { type ErrorBody, type ErrorCode, errorStatuses } from '@tributary/contract'
import type { DomainError } from '../../kit/domain-error.ts'

export const statusOf = (code: DomainError['code']): number =>
  code === 'forbidden' ? 403 : errorStatuses[code]

export const errorBody = (code: ErrorCode | 'forbidden', message: string) =>
  ({ error: { code, message } }) as ErrorBody
