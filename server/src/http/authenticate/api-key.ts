import type { FastifyReply, FastifyRequest } from 'fastify'
import { networkOf } from '../../kit/address.ts'
import { DomainError } from '../../kit/domain-error.ts'
import { isApiKey, sha256 } from '../../kit/tokens.ts'
import type { Admissions } from './admissions.ts'
import { keyFrom } from './credentials.ts'
import type { Guess, Guesses } from './guess-limit.ts'
import { rateLimited, secondsUntil } from './rate-limited.ts'

/** The authenticated caller of the public API. */
export interface ApiCaller {
  accountId: number
  apiKeyId: number
}

const WINDOW_SECONDS = 60

function setRateLimitHeaders(
  reply: FastifyReply,
  policy: string,
  { allowed, remaining, freesInMs }: { allowed: number; remaining: number; freesInMs: number },
): number {
  const seconds = secondsUntil(freesInMs)
  reply.header('RateLimit-Policy', `"${policy}";q=${allowed};w=${WINDOW_SECONDS}`)
  reply.header('RateLimit', `"${policy}";r=${remaining};t=${seconds}`)
  reply.header('X-RateLimit-Limit', allowed)
  reply.header('X-RateLimit-Remaining', remaining)
  reply.header('X-RateLimit-Reset', seconds)
  return seconds
}

/** Admits a request with an active API key that is within its rate limit. */
export function byApiKey(admissions: Admissions, guesses: Guesses, allowed: number) {
  const refuse = async (
    request: FastifyRequest,
    reply: FastifyReply,
    guess?: Guess,
  ): Promise<DomainError> => {
    const { remaining, freesInMs } = guess ?? (await guesses.state(networkOf(request.ip)))
    setRateLimitHeaders(reply, 'wrong-keys', { allowed: guesses.allowed, remaining, freesInMs })
    reply.header('WWW-Authenticate', 'Bearer, Basic')
    return new DomainError(
      'unauthorized',
      'Send a valid API key, as a bearer token or as the username of HTTP Basic.',
    )
  }

  /** Undefined for an invalid key. A key with a wrong checksum never reaches the database. */
  const verified = async (key: string, hash: Buffer, guess: Guess | undefined) => {
    const mayExist = guess === undefined || (isApiKey(key) && (await admissions.isLive(hash, guess.admitted)))
    return mayExist ? admissions.admit(hash) : undefined
  }

  return async function authenticate(request: FastifyRequest, reply: FastifyReply): Promise<ApiCaller> {
    const key = keyFrom(request.headers.authorization)
    if (key === undefined) throw await refuse(request, reply)
    const hash = sha256(key)
    const network = networkOf(request.ip)
    // A key already used in this process is not a guess. Any other counts as wrong until it is verified, which always happens: failures of
    // others only make it wait for a shared lookup.
    const guess = admissions.isKnown(hash) ? undefined : await guesses.begin(network)
    const admission = await verified(key, hash, guess).catch(error => {
      if (guess) guesses.forgive(network, guess)
      throw error
    })
    if (!admission && guess?.admitted === false)
      throw rateLimited(
        'Too many invalid API keys from this address',
        setRateLimitHeaders(reply, 'wrong-keys', { allowed: guesses.allowed, ...guess }),
      )
    if (!admission) throw await refuse(request, reply, guess)
    if (guess) guesses.forgive(network, guess)
    const seconds = setRateLimitHeaders(reply, 'requests', { allowed, ...admission })
    if (!admission.admitted)
      throw rateLimited(
        `This API key has made ${allowed} requests in the last ${WINDOW_SECONDS} seconds`,
        seconds,
      )
    request.accountId = admission.accountId
    return { accountId: admission.accountId, apiKeyId: admission.apiKeyId }
  }
}
