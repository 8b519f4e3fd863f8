import type { OperationId, operations } from '@tributary/contract'
import type { Static, TSchema } from 'typebox'
import type { Services } from '../db/services.ts'
import type { IdIn } from '../kit/path-id.ts'

type Of<Id extends OperationId> = (typeof operations)[Id]
type Success<Id extends OperationId> = Of<Id>['success']
type Body<Schema> = Schema extends TSchema ? Static<Schema> : undefined

/** A request that has been authenticated, admitted and validated. */
export type Call<Id extends OperationId> = Services &
  IdIn<Of<Id>['path']> & {
    accountId: number
    query: Static<Of<Id>['query']>
    body: Of<Id> extends { body: infer Schema } ? Body<Schema> : undefined
  }

/** A status in the contract of the operation, with its body. */
type Result<Id extends OperationId> = {
  [Status in keyof Success<Id> & number]: {
    status: Status
    body: Success<Id>[Status] extends { schema: infer Schema } ? Body<Schema> : never
  }
}[keyof Success<Id> & number]

export type Handler<Id extends OperationId> = (call: Call<Id>) => Promise<Result<Id>>
