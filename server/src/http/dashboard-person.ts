import { setTimeout as pause } from 'node:timers/promises'
import { personResults, personSchemas } from '@tributary/contract/dashboard'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Services } from '../db/services.ts'
import { networkOf } from '../kit/address.ts'
import { DomainError } from '../kit/domain-error.ts'
import { sha256 } from '../kit/tokens.ts'
import { mailFrom } from '../mail/servers/sending-server.ts'
import { anyAccountExists, findUserByEmail, type UserRow } from '../programme/accounts/account.store.ts'
import { hashPassword } from '../programme/accounts/password.ts'
import {
  acceptInvitation,
  describeInvitation,
  invitationLookup,
  openInvitation,
} from '../programme/team/invitations.ts'
import {
  assertOpenReset,
  changePassword,
  requestReset,
  resetLookup,
  resetPassword,
} from '../programme/team/reset-password.ts'
import { deleteSession, deleteSessionsOf } from '../programme/team/session.store.ts'
import { describeSession, startSession } from '../programme/team/sessions.ts'
import { alreadySetUp, setUp } from '../programme/team/set-up.ts'
import type { CountGuesses } from './authenticate/guess-limit.ts'
import { KnownBrowsers } from './authenticate/known-browsers.ts'
import { PasswordGuesses } from './authenticate/password-guesses.ts'
import { person, SESSION_COOKIE } from './authenticate/person.ts'
import { tooManyAttempts } from './authenticate/rate-limited.ts'
import { clearCookie, setCookie } from './authenticate/session-cookie.ts'
import { LARGEST_ANONYMOUS_BODY_BYTES } from './request/read-body.ts'
import type { ResponseWriter } from './response/closed-response.ts'
import { sendResult } from './response/send-result.ts'
import { type Route, route, type Visit } from './route.ts'

/** Invalid links and codes per minute and network. */
const WRONG_SECRETS_PER_MINUTE = 10
const WRONG_SECRET: ReadonlySet<string> = new Set(['invalid_state', 'unauthorized'])
const RESET_REQUESTS_PER_MINUTE = 20
/** Wrong current passwords of a signed-in user: it may be someone else at an unlocked computer. */
const OWN_PASSWORDS = 10
const QUARTER_HOUR_MS = 15 * 60_000
/** Longer than queueing an email takes. */
const RESET_RESPONSE_MS = 250

const anyone = async () => undefined

const visitorOf = (request: FastifyRequest) => ({
  address: request.ip,
  userAgent: request.headers['user-agent'] ?? null,
})

/** Calls that need no account: sign in and out, set-up, accept an invitation, reset a password. */
export function personRoutes(
  api: FastifyInstance,
  services: Services,
  countGuesses: CountGuesses,
  writer: ResponseWriter,
): void {
  const { db } = services
  /** Registers a call whose result is serialized by its closed schema. */
  const call = <Who, Q extends TSchema, B extends TSchema>(
    declared: Omit<Route<Who, Q, B>, 'bodyLimit'>,
    result: TSchema = personResults.done,
  ) => {
    const write = writer(result)
    const handle: typeof declared.handle = async visit =>
      sendResult(visit.reply, await declared.handle(visit), write)
    route(api, { ...declared, bodyLimit: LARGEST_ANONYMOUS_BODY_BYTES, handle })
  }
  const post = <B extends TSchema>(
    url: string,
    body: B,
    handle: (visit: Visit<undefined, object, Static<B> & object>) => Promise<unknown>,
    result?: TSchema,
  ) => call({ method: 'POST', url, authenticate: anyone, body, handle }, result)
  const signedIn = { authenticate: person(db) }
  const browsers = new KnownBrowsers(services.secrets.key('known browser'))
  const passwords = new PasswordGuesses(db, browsers, countGuesses)
  const ownPasswords = countGuesses('own passwords', OWN_PASSWORDS, QUARTER_HOUR_MS)
  const wrongSecrets = countGuesses('secrets', WRONG_SECRETS_PER_MINUTE)
  const resetRequests = countGuesses('reset requests', RESET_REQUESTS_PER_MINUTE)
  const invitations = invitationLookup(db)
  const resets = resetLookup(db)

  /**
   * Tries a secret too long to guess. A valid one works however many invalid ones came from its network; the limit only decides how
   * invalid ones are rejected, and how soon they are looked up.
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

  const begin = async (request: FastifyRequest, reply: FastifyReply, user: UserRow) => {
    const token = await startSession(db, user, visitorOf(request))
    setCookie(request, reply, SESSION_COOKIE, token)
    browsers.remember(request, reply, user)
    return {}
  }

  call(
    {
      ...signedIn,
      method: 'GET',
      url: '/session',
      handle: ({ who: { token, ...session } }) => describeSession(db, token, session),
    },
    personResults.session,
  )
  post('/session', personSchemas.signIn, async ({ body: { email, password }, request, reply }) => {
    const user = await passwords.check(request, email, password)
    if (!user) throw new DomainError('unauthorized', 'Incorrect email address or password.')
    return begin(request, reply, user)
  })
  call({
    ...signedIn,
    method: 'DELETE',
    url: '/session',
    async handle({ who, request, reply }) {
      await deleteSession(db, sha256(who.token))
      clearCookie(request, reply, SESSION_COOKIE)
      return {}
    },
  })
  call({
    ...signedIn,
    method: 'DELETE',
    url: '/sessions',
    async handle({ who, request, reply }) {
      await deleteSessionsOf(db, who.user_id)
      clearCookie(request, reply, SESSION_COOKIE)
      return {}
    },
  })

  // An installation never goes back to having no accounts, so this is cached.
  let isSetUp = false
  const isNeeded = async () => {
    isSetUp ||= await anyAccountExists(db)
    return !isSetUp
  }
  call(
    {
      method: 'GET',
      url: '/setup',
      authenticate: anyone,
      handle: async () => ({ needed: await isNeeded() }),
    },
    personResults.setUp,
  )
  post('/setup', personSchemas.setUp, async ({ body, request, reply }) => {
    const { code, company: name, email, password, time_zone: timeZone } = body
    const owner = await trySecret(request, async () => {
      if (!(await isNeeded())) throw alreadySetUp()
      return setUp(db, code, { name, email, password, timeZone }, request.ip)
    })
    return begin(request, reply, owner)
  })

  post(
    '/password/reset',
    personSchemas.requestReset,
    async ({ body: { email }, request }) => {
      // Every request counts: each may send an unsolicited email.
      const { admitted } = await resetRequests.begin(networkOf(request.ip))
      // Response time must not reveal whether the address exists.
      const minimumTime = pause(RESET_RESPONSE_MS)
      const sends_emails = (await mailFrom(db, services.settings, null)) !== null
      if (admitted) await requestReset(db, services.baseUrl, email)
      await minimumTime
      return { sends_emails }
    },
    personResults.requestReset,
  )
  post('/password', personSchemas.resetPassword, async ({ body: { token, password }, request, reply }) => {
    // Checked first: an invalid link must not cost a password hash.
    await trySecret(request, isWithinLimit => assertOpenReset(resets, token, isWithinLimit))
    // A user with access to the inbox can sign in even while others guess at the password.
    browsers.remember(request, reply, await resetPassword(db, token, password))
    return {}
  })
  post('/password/link', personSchemas.lookAtReset, async ({ body: { token }, request }) => {
    await trySecret(request, isWithinLimit => assertOpenReset(resets, token, isWithinLimit))
    return {}
  })
  call({
    ...signedIn,
    method: 'POST',
    url: '/password/change',
    body: personSchemas.changePassword,
    async handle({ who: { user_id }, body: { current, password }, request, reply }) {
      // Counted separately: guesses by others must not keep the user from changing the password.
      const guess = await ownPasswords.begin(String(user_id))
      if (!guess.admitted) throw tooManyAttempts(guess.freesInMs)
      const user = await changePassword(db, user_id, current, password)
      ownPasswords.forgive(String(user_id), guess)
      return begin(request, reply, user)
    },
  })

  post(
    '/invitation',
    personSchemas.lookAtInvitation,
    async ({ body: { token }, request }) => {
      const invitation = await trySecret(request, isWithinLimit =>
        openInvitation(invitations, token, isWithinLimit),
      )
      return describeInvitation(db, invitation)
    },
    personResults.invitation,
  )
  post('/invitation/accept', personSchemas.acceptInvitation, async ({ body, request, reply }) => {
    const { token, password, name = null } = body
    const invitation = await trySecret(request, isWithinLimit =>
      openInvitation(invitations, token, isWithinLimit),
    )
    const proof = await proveInvited(request, invitation.email, password)
    const user = await acceptInvitation(db, invitation, proof, { name, address: request.ip })
    return begin(request, reply, user)
  })

  /** An existing user proves their identity by password, with the usual guess limits: anyone with an account can send invitations. */
  async function proveInvited(request: FastifyRequest, email: string, password: string) {
    if (!(await findUserByEmail(db, email))) return { newPasswordHash: await hashPassword(password) }
    const known = await passwords.check(request, email, password)
    if (!known) throw new DomainError('unauthorized', 'Incorrect password. Use the one you sign in with.')
    return { known }
  }
}
