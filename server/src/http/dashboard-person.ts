import { setTimeout as pause } from 'node:timers/promises'
import { personSchemas } from '@tributary/contract/dashboard'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { anAccountExists } from '../accounts/an-account-exists.ts'
import { networkOf } from '../kit/address.ts'
import { DomainError } from '../kit/domain-error.ts'
import { emailKey } from '../kit/email.ts'
import type { Services } from '../kit/endpoint.ts'
import { sha256 } from '../kit/tokens.ts'
import { acceptInvitation, lookAtInvitation } from '../team/invitations.ts'
import { askForReset, changePassword, resetPassword } from '../team/reset-password.ts'
import { deleteSession, deleteSessionsOf, describeSession, startSession } from '../team/sessions.ts'
import { setUp } from '../team/set-up.ts'
import { checkPassword } from '../team/sign-in.ts'
import { objectBody } from './body.ts'
import type { CountGuesses } from './guess-limit.ts'
import { LARGEST_ANONYMOUS_BODY_BYTES } from './read-body.ts'
import { clearCookie, setCookie } from './session-cookie.ts'
import { SESSION_COOKIE, signedIn } from './signed-in.ts'
import { compile, explain, refuseUnstorable } from './validation.ts'

/** Guesses in a minute: from one address, and at one person whatever the address. */
const GUESSES_PER_ADDRESS = 20
const GUESSES_PER_PERSON = 10
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
  const byAddress = countGuesses('passwords by address', GUESSES_PER_ADDRESS)
  const byPerson = countGuesses('passwords by person', GUESSES_PER_PERSON)

  /** Counts a guess before it is looked at, and takes it back when it was right: many at once do not slip through. */
  async function guessing<T>(
    request: FastifyRequest,
    reply: FastifyReply,
    work: () => Promise<T>,
    // Without a name it is guessed at a secret, and nobody else is to be kept waiting for that.
    person = `secrets from ${networkOf(request.ip)}`,
  ) {
    const ofAddress = await byAddress.begin(networkOf(request.ip))
    const ofPerson = await byPerson.begin(person)
    const takeBack = () => {
      byAddress.forgive(networkOf(request.ip), ofAddress)
      byPerson.forgive(person, ofPerson)
    }
    const spent = [ofAddress, ofPerson].find(({ admitted }) => !admitted)
    if (spent) {
      takeBack()
      const seconds = Math.max(1, Math.ceil(spent.freesInMs / 1000))
      reply.header('Retry-After', seconds)
      throw new DomainError('rate_limited', `Too many attempts. Try again in ${seconds} s.`)
    }
    const result = await work()
    takeBack()
    return result
  }

  const begin = async (request: FastifyRequest, reply: FastifyReply, userId: number) => {
    const token = await startSession(db, userId, visitorOf(request))
    setCookie(request, reply, SESSION_COOKIE, token)
    return reply.send({})
  }

  api.get('/session', async (request, reply) => {
    const { token, ...session } = await signedIn(request, db, 0)
    return reply.send(await describeSession(db, token, session))
  })
  const signIn = reader(personSchemas.signIn)
  api.post('/session', anonymous, async (request, reply) => {
    const { email, password } = signIn(request)
    const userId = await guessing(request, reply, () => checkPassword(db, email, password), emailKey(email))
    return begin(request, reply, userId)
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

  api.get('/setup', async () => ({ needed: !(await anAccountExists(db)) }))
  const readSetUp = reader(personSchemas.setUp)
  api.post('/setup', anonymous, async (request, reply) => {
    const { code, company: name, email, password } = readSetUp(request)
    const made = await guessing(request, reply, () => setUp(db, code, { name, email, password }, request.ip))
    return begin(request, reply, made.user_id)
  })

  const readReset = reader(personSchemas.askForReset)
  api.post('/password/reset', anonymous, async (request, reply) => {
    const { email } = readReset(request)
    // Every request counts: each may send a mail to somebody who did not ask for it.
    const { admitted } = await byAddress.begin(`reset ${networkOf(request.ip)}`)
    // The time it takes must not tell whether anybody has the address.
    const answerTime = pause(RESET_ANSWER_MS)
    if (admitted) await askForReset(db, services.baseUrl, email)
    await answerTime
    return reply.send({})
  })
  const readNewPassword = reader(personSchemas.resetPassword)
  api.post('/password', anonymous, async (request, reply) => {
    const { token, password } = readNewPassword(request)
    await guessing(request, reply, () => resetPassword(db, token, password))
    return reply.send({})
  })
  const readChange = reader(personSchemas.changePassword)
  api.post('/password/change', forPeople, async (request, reply) => {
    const { user_id, email } = await signedIn(request, db, 0)
    const { current, password } = readChange(request)
    await guessing(request, reply, () => changePassword(db, user_id, current, password), emailKey(email))
    return begin(request, reply, user_id)
  })

  const readLook = reader(personSchemas.lookAtInvitation)
  api.post('/invitation', anonymous, async (request, reply) => {
    const { token } = readLook(request)
    return reply.send(await guessing(request, reply, () => lookAtInvitation(db, token)))
  })
  const readAccept = reader(personSchemas.acceptInvitation)
  api.post('/invitation/accept', anonymous, async (request, reply) => {
    const { token, password, name = null } = readAccept(request)
    const accept = () => acceptInvitation(db, token, { password, name, address: request.ip })
    return begin(request, reply, await guessing(request, reply, accept))
  })
}
