import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readCookie, setCookie } from './session-cookie.ts'

const COOKIE = 'tributary-browser'
/** Renewed with every sign-in. */
const COOKIE_DAYS = 180
const SHAPE = /^(\d{1,16})\.([\w-]{22})\.([\w-]{43})\.([\w-]{43})$/

export interface KnownBrowser {
  id: string
  userId: number
  /** Derived from the password hash: a new password invalidates it. */
  mark: string
}

/**
 * Browsers that a user has signed in with before. Such a browser carries a signed cookie, which grants no access: it only gives the
 * browser its own guess limit, so that attackers who guess at the user cannot lock them out. Nothing is stored on the server.
 */
export class KnownBrowsers {
  readonly #key: Buffer

  constructor(key: Buffer) {
    this.#key = key
  }

  remember(request: FastifyRequest, reply: FastifyReply, user: { id: number; password_hash: string }): void {
    const id = randomBytes(16).toString('base64url')
    const text = `${user.id}.${id}.${this.#markOf(user)}`
    setCookie(request, reply, COOKIE, `${text}.${this.#sign(text)}`, { seconds: 86_400 * COOKIE_DAYS })
  }

  /** The browser in the cookie; undefined without a validly signed one. Needs no query. */
  read(request: FastifyRequest): KnownBrowser | undefined {
    const [, userId = '', id = '', mark = '', signature = ''] =
      SHAPE.exec(readCookie(request, COOKIE) ?? '') ?? []
    if (signature === '') return undefined
    const expected = this.#sign(`${userId}.${id}.${mark}`)
    if (!timingSafeEqual(Buffer.from(expected), Buffer.from(signature))) return undefined
    return { id, userId: Number(userId), mark }
  }

  /** Whether this user signed in with the browser under their current password. */
  isOf(browser: KnownBrowser, user: { id: number; password_hash: string }): boolean {
    return browser.userId === user.id && browser.mark === this.#markOf(user)
  }

  #markOf({ password_hash }: { password_hash: string }): string {
    return this.#sign(`password ${password_hash}`)
  }

  #sign(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url')
  }
}
