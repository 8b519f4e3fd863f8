import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { siteOf } from '../../kit/address.ts'
import { DomainError } from '../../kit/domain-error.ts'
import { awaitsContinue, beginBody } from '../connections.ts'
import {
  admittedBodies,
  anonymousBodies,
  type BodyMemory,
  billingEvents,
  SMALL_BODY_BYTES,
  uploads,
} from './body-memory.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The body took so long that the caller may have lost access since authentication. */
    hasSlowBody: boolean
    /** Releases the memory of an upload; called after the response. */
    releaseBody: (() => void) | undefined
  }
}

export const LARGEST_BODY_BYTES = 256 * 1024
/** The import of affiliates is the largest request. */
export const LARGEST_UPLOAD_BYTES = 4 * 1024 * 1024
/** Limit for anonymous callers: sign-in, password, request to join. */
export const LARGEST_ANONYMOUS_BODY_BYTES = SMALL_BODY_BYTES

/** A revoked key or session stops working within a second, also for a request in flight. */
const SLOW_AFTER_MS = 1000

/**
 * Whether a rejected request still has more body than is worth discarding. Up to the size of an upload Node discards it, so that the
 * client can read the response; closing the connection early may lose it.
 */
export function leavesMuchUnread({ raw, headers }: FastifyRequest): boolean {
  if (raw.complete) return false
  if (headers['transfer-encoding'] !== undefined || awaitsContinue(raw)) return true
  return Number(headers['content-length'] ?? 0) > LARGEST_UPLOAD_BYTES
}

function memoryFor({ accountId, routeOptions: { bodyLimit } }: FastifyRequest): BodyMemory {
  if (accountId === undefined)
    return bodyLimit > LARGEST_ANONYMOUS_BODY_BYTES ? billingEvents : anonymousBodies
  return bodyLimit > LARGEST_BODY_BYTES ? uploads : admittedBodies
}

const tooLarge = (limit: number) =>
  new DomainError('payload_too_large', `The body is larger than ${limit / 1024} KiB.`)

/** Rejects by the headers alone, before the body is read. */
function assertReadable({ headers, routeOptions: { bodyLimit } }: FastifyRequest): void {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity')
    throw new DomainError('unsupported_media_type', 'Send the body uncompressed, without Content-Encoding.')
  if (Number(headers['content-length'] ?? 0) > bodyLimit) throw tooLarge(bodyLimit)
}

/**
 * Reads the whole body and passes it to `use`. Its memory is reserved until then; that of an upload until the response, because its
 * text lives as long.
 */
export async function withBody<T>(request: FastifyRequest, use: (bytes: Buffer) => T): Promise<T> {
  assertReadable(request)
  const memory = memoryFor(request)
  const caller = String(request.accountId ?? siteOf(request.ip))
  const begun = performance.now()
  beginBody(request.raw)
  let held = 0
  const release = () => {
    memory.give(caller, held)
    held = 0
  }
  const hold = (bytes: number) => {
    if (held + bytes > request.routeOptions.bodyLimit) throw tooLarge(request.routeOptions.bodyLimit)
    if (!memory.take(caller, bytes, held + bytes))
      throw new DomainError('unavailable', 'Too many concurrent requests. Try again shortly.', {
        retryAfterSeconds: 1,
      })
    held += bytes
  }
  try {
    const bytes = await collect(request.raw, hold)
    request.hasSlowBody = performance.now() - begun > SLOW_AFTER_MS
    return use(bytes)
  } finally {
    if (memory === uploads) request.releaseBody = release
    else release()
  }
}

function collect(payload: IncomingMessage, hold: (bytes: number) => void): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const leave = () => {
      payload.off('data', onData).off('end', onEnd).off('error', onError)
    }
    const onData = (chunk: Buffer) => {
      try {
        hold(chunk.length)
        chunks.push(chunk)
      } catch (error) {
        onError(error)
      }
    }
    const onEnd = () => {
      leave()
      resolve(Buffer.concat(chunks))
    }
    const onError = (error: unknown) => {
      leave()
      reject(error)
    }
    payload.on('data', onData).on('end', onEnd).on('error', onError)
  })
}
