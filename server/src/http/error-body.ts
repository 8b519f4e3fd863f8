import type { ErrorBody, ErrorCode } from '@tributary/contract'

export const errorBody = (code: ErrorCode, message: string): ErrorBody => ({ error: { code, message } })
