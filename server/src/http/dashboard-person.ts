import { setTimeout as pause } from 'node:timers/promises'
import { personSchemas } from '@tributary/contract/dashboard'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Services } from '../db/services.ts'
import { networkOf } from '../kit/address.ts'
import { DomainError } from '../kit/domain-error.ts'
import { sha256 } from '../kit/tokens.ts'
import { anyAccountExists, findUserByEmail } from '../programme/accounts/account.store.ts'
import { hashPassword } from '../programme/accounts/password.ts'
import {
  acceptInvitation,
  describeInvitation,
  invitationLookup,
  openInvitation,
} from '../programme/team/invitations.ts'
import {
  askForReset,
  assertOpenReset,
  changePassword,
  resetLookup,
  resetPassword,
} from '../programme/team/reset-password.ts'
import { deleteSession, deleteSessionsOf } from '../programme/team/session.store.ts'
import { describeSession, startSession } from '../programme/team/sessions.ts'
import { alreadySetUp, setUp } from '../programme/team/set-up.ts'
import { findPasswordHash } from '../programme/team/user.store.ts'
import { objectBody } from './body.ts'
import type { CountGuesses } from './guess-limit.ts'
import { KnownBrowsers } from './known-browsers.ts'
import { PasswordGuesses, tooManyAttempts } from './password-guesses.ts'
import { LARGEST_ANONYMOUS_BODY_BYTES } from './read-body.ts'
import { clearCookie, setCookie } from './session-cookie.ts'
import { SESSION_COOKIE, signedIn } from './signed-in.ts'
import { compile, explain, refuseUnstorable } from './validation.ts'

/** Wrong links and codes in a minute from one address. */
const WRONG_SECRETS_PER_MINUTE = 10
const WRONG_SECRET: ReadonlySet<string> = new Set(['invalid_state', 'unauthorized'])
const RESETS_ASKED_PER_MINUTE = 20
/** Wrong passwords of somebody who is signed in, who may have found a session open. */
const OWN_PASSWORDS = 10
const QUARTER_HOUR_MS = 15 * 60_000
/** Longer than it takes to write a mail. */
const RESET_ANSWER_MS = 250

function reader<S extends TSchema>(schema: S): (request: FastifyRequest) => Static<S> {
  const check = compile(schema)
  return request => {
    const body = objectBody(request.body, true)
    if (!check(body)) throw explain(check.errors?.[0] as never)
    refuseUnstorable(body)
    return body as Static<S>
  }
}

const visitorOf = (request: FastifyRequest) => ({
  address: request.ip,
  userAgent: request.headers['user-agent'] ?? null,
})

/** What a person can do without being in an account: sign in and out, set up, accept an invitation, get a new password. */
export function personRoutes(api: FastifyInstance, services: Services, countGuesses: CountGuesses): void {
  const { db } = services
  const anonymous = { bodyLimit: LARGEST_ANONYMOUS_BODY_BYTES }
  /** The session is asked for before the body is read, and again with the call itself. */
  const forPeople = {
    ...anonymous,
    onRequest: async (request: FastifyRequest) => void (await signedIn(request, db, 0)),
  }
  const browsers = new KnownBrowsers(services.secrets.key('known browser'))
  const passwords = new PasswordGuesses(db, browsers, countGuesses)
  const ownPasswords = countGuesses('own passwords', OWN_PASSWORDS, QUARTER_HOUR_MS)
  const wrongSecrets = countGuesses('secrets', WRONG_SECRETS_PER_MINUTE)
  const resetsAsked = countGuesses('resets asked for', RESETS_ASKED_PER_MINUTE)
  const invitations = invitationLookup(db)
  const resets = resetLookup(db)

  /**
   * Tries a secret that cannot be guessed. A right one works however many wrong ones came from its address; the limit decides how
   * the wrong ones are answered, and how soon they are looked up.
   */
  async function trySecret<T>(
    request: FastifyRequest,
    work: (isWithinLimit: boolean) => Promise<T>,
  ): Promise<T> {
    const network = networkOf(request.ip)
    const guess = await wrongSecrets.begin(network)
    try {
      const result = await work(guess.admitted)
      wrongSecrets.forgive(network, guess)
      return result
    } catch (error) {
      const isWrong = error instanceof DomainError && WRONG_SECRET.has(error.code)
      if (!isWrong) wrongSecrets.forgive(network, guess)
      throw isWrong && !guess.admitted ? tooManyAttempts(guess.freesInMs) : error
    }
  }

  const begin = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { id, password_hash }: { id: number; password_hash?: string | undefined },
  ) => {
    const token = await startSession(db, id, visitorOf(request))
    setCookie(request, reply, SESSION_COOKIE, token)
    const hash = password_hash ?? (await findPasswordHash(db, id))
    if (hash !== undefined) browsers.remember(request, reply, { id, password_hash: hash })
    return reply.send({})
  }

  api.get('/session', async (request, reply) => {
    const { token, ...session } = await signedIn(request, db, 0)
    return reply.send(await describeSession(db, token, session))
  })
  const signIn = reader(personSchemas.signIn)
  api.post('/session', anonymous, async (request, reply) => {
    const { email, password } = signIn(request)
    const user = await passwords.check(request, email, password)
    if (!user) throw new DomainError('unauthorized', 'The email address or the password is wrong.')
    return begin(request, reply, user)
  })
  api.delete('/session', forPeople, async (request, reply) => {
    const { token } = await signedIn(request, db, 0)
    await deleteSession(db, sha256(token))
    clearCookie(request, reply, SESSION_COOKIE)
    return reply.send({})
  })
  api.delete('/sessions', forPeople, async (request, reply) => {
    const { user_id } = await signedIn(request, db, 0)
    await deleteSessionsOf(db, user_id)
    clearCookie(request, reply, SESSION_COOKIE)
    return reply.send({})
  })

  // There is no way back to an installation without accounts, so that once is enough to find out.
  let isSetUp = false
  const isNeeded = async () => {
    isSetUp ||= await anyAccountExists(db)
    return !isSetUp
  }
  api.get('/setup', async () => ({ needed: await isNeeded() }))
  const readSetUp = reader(personSchemas.setUp)
  api.post('/setup', anonymous, async (request, reply) => {
    const { code, company: name, email, password } = readSetUp(request)
    const made = await trySecret(request, async () => {
      if (!(await isNeeded())) throw alreadySetUp()
      return setUp(db, code, { name, email, password }, request.ip)
    })
    return begin(request, reply, { id: made.user_id })
  })

  const readReset = reader(personSchemas.askForReset)
  api.post('/password/reset', anonymous, async (request, reply) => {
    const { email } = readReset(request)
    // Every request counts: each may send a mail to somebody who did not ask for it.
    const { admitted } = await resetsAsked.begin(networkOf(request.ip))
    // The time it takes must not tell whether anybody has the address.
    const answerTime = pause(RESET_ANSWER_MS)
    if (admitted) await askForReset(db, services.baseUrl, email)
    await answerTime
    return reply.send({})
  })
  const readNewPassword = reader(personSchemas.resetPassword)
  api.post('/password', anonymous, async (request, reply) => {
    const { token, password } = readNewPassword(request)
    // Looked at first: a wrong link must not cost a hash.
    await trySecret(request, isWithinLimit => assertOpenReset(resets, token, isWithinLimit))
    // Whoever reads the person's mail may sign in even while strangers guess at the password.
    browsers.remember(request, reply, await resetPassword(db, token, password))
    return reply.send({})
  })
  const readLookAtReset = reader(personSchemas.lookAtReset)
  api.post('/password/link', anonymous, async (request, reply) => {
    const { token } = readLookAtReset(request)
    await trySecret(request, isWithinLimit => assertOpenReset(resets, token, isWithinLimit))
    return reply.send({})
  })
  const readChange = reader(personSchemas.changePassword)
  api.post('/password/change', forPeople, async (request, reply) => {
    const { user_id } = await signedIn(request, db, 0)
    const { current, password } = readChange(request)
    // Counted apart: strangers who guess at the person must not keep them from changing the password.
    const guess = await ownPasswords.begin(String(user_id))
    if (!guess.admitted) throw tooManyAttempts(guess.freesInMs)
    await changePassword(db, user_id, current, password)
    ownPasswords.forgive(String(user_id), guess)
    return begin(request, reply, { id: user_id })
  })

  const readLook = reader(personSchemas.lookAtInvitation)
  api.post('/invitation', anonymous, async (request, reply) => {
    const { token } = readLook(request)
    const invitation = await trySecret(request, isWithinLimit =>
      openInvitation(invitations, token, isWithinLimit),
    )
    return reply.send(await describeInvitation(db, invitation))
  })
  const readAccept = reader(personSchemas.acceptInvitation)
  api.post('/invitation/accept', anonymous, async (request, reply) => {
    const { token, password, name = null } = readAccept(request)
    const invitation = await trySecret(request, isWithinLimit =>
      openInvitation(invitations, token, isWithinLimit),
    )
    const proof = await proveInvited(request, invitation.email, password)
    const id = await acceptInvitation(db, invitation, proof, { name, address: request.ip })
    return begin(request, reply, { id })
  })

  /** Somebody who is known proves it by their password, which is a guess like any other: an invitation is easily made. */
  async function proveInvited(request: FastifyRequest, email: string, password: string) {
    if (!(await findUserByEmail(db, email))) return { newPasswordHash: await hashPassword(password) }
    const known = await passwords.check(request, email, password)
    if (!known) throw new DomainError('unauthorized', 'The password is not the one you sign in with.')
    return { known }
  }
}
