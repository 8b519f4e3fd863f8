import type { Db, TransactionOptions, Tx } from '../db/database.ts'
import { conflict, DomainError, invalid } from '../kit/domain-error.ts'
import type { SecretBox } from '../kit/secret-box.ts'
import { sha256 } from '../kit/tokens.ts'
import { findResponse, type IdempotencyScope, insertResponse, tryLockKey } from './idempotency.store.ts'
import { errorBody, statusOf } from './response/error-body.ts'

export interface PlainResponse {
  status: number
  body: unknown
}

/** The Idempotency-Key of a request; undefined if it has none. */
export function idempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  if (typeof header !== 'string' || !/^[ -~]{1,255}$/.test(header))
    throw invalid('Idempotency-Key', 'must be 1 to 255 printable ASCII characters')
  return header
}

/** The order of fields does not matter for equality. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => [key, canonical(item)])
}

export const requestHash = (method: string, path: string, body: unknown) =>
  sha256(JSON.stringify([method, path, canonical(body)]))

/**
 * The keys of requests under way in this process. In one transaction, a second request would get the lock that the first one holds; and
 * between a shared transaction and its own, the first one holds none.
 */
const underWay = new Set<string>()

const inProgress = () =>
  new DomainError('conflict', 'A request with this Idempotency-Key is still in progress.', {
    // Distinguishes it from other conflicts: a retry will get the stored response.
    retryAfterSeconds: 1,
  })

/**
 * Runs a request once per key. The response is committed in the same transaction as the request's writes, so after a crash there are
 * both or neither, and a retry can neither repeat the writes nor miss the response. Successes and 409 are stored; any other error rolls
 * back the request and releases the key, so that a corrected or later request may use it. With `group`, it may share its commit.
 */
export async function once(
  { db, secrets }: { db: Db; secrets: SecretBox },
  scope: IdempotencyScope,
  hash: Buffer,
  carryOut: (db: Db) => Promise<PlainResponse>,
  group: TransactionOptions = {},
): Promise<PlainResponse & { replayed: boolean }> {
  const name = `${scope.apiKeyId} ${scope.key}`
  if (underWay.has(name)) throw inProgress()
  underWay.add(name)
  const carryOutOnce = async (tx: Tx) => {
    const [isLocked, earlier] = await tx.inOrder(
      () => tryLockKey(tx, scope),
      () => findResponse(tx, scope),
    )
    if (!isLocked) throw inProgress()
    if (earlier) {
      if (!earlier.request_hash.equals(hash))
        throw conflict('This Idempotency-Key was already used for a different request.')
      const response = JSON.parse(secrets.open('idempotent answer', scope.accountId, earlier.sealed_answer))
      return { ...response, replayed: true }
    }
    const response = await tx.transaction(carryOut).catch(conflictAsResponse)
    const sealed = secrets.seal('idempotent answer', scope.accountId, JSON.stringify(response))
    insertResponse(tx, scope, { requestHash: hash, sealed })
    return { ...response, replayed: false }
  }
  try {
    return await db.transaction(carryOutOnce, group)
  } finally {
    underWay.delete(name)
  }
}

function conflictAsResponse(error: unknown): PlainResponse {
  if (!(error instanceof DomainError) || statusOf(error.code) !== 409) throw error
  return { status: 409, body: errorBody(error.code, error.message) }
}
