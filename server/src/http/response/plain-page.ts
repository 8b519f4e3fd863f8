import { randomBytes } from 'node:crypto'
import type { ErrorCode } from '@tributary/contract'
import type { FastifyReply } from 'fastify'
import { type AccessPage, renderAccessPage } from './access-page.ts'
import { sendHtml } from './page-headers.ts'

export const PLAIN_COLOUR = '#1d2939'

export type PlainText = Pick<AccessPage, 'title' | 'text' | 'button'>

/** Unbranded: a custom domain must not reveal the product behind it. */
export function sendPlainPage(reply: FastifyReply, page: PlainText) {
  const styleNonce = randomBytes(16).toString('base64')
  const html = renderAccessPage({ ...page, styleNonce, colour: PLAIN_COLOUR, logo: null, icon: null })
  return sendHtml(reply, html, { styleNonce, isSecret: true })
}

export const deadLink: PlainText = {
  title: 'This link doesn’t work',
  text: 'It may be misspelled or no longer in use. Ask the person who shared it for a new one.',
}

/** The text of an error page; `message` is the one from the API. */
export function errorText(code: ErrorCode | 'forbidden', message: string, requestId: string): PlainText {
  switch (code) {
    case 'not_found':
      return { title: 'Page not found', text: 'Check the address, or ask the person who sent it to you.' }
    case 'method_not_allowed':
      return { title: 'Page not found', text: 'This address can’t be opened in a browser.' }
    case 'rate_limited':
      return { title: 'Too many requests', text: 'Wait a minute, then try again.' }
    case 'unavailable':
      return { title: 'Temporarily unavailable', text: 'We can’t show this page right now. Try again soon.' }
    case 'internal_error':
      return {
        title: 'Something went wrong',
        text: `Try again. If it keeps happening, contact support and quote ${requestId}.`,
      }
    default:
      return { title: 'Something went wrong', text: message }
  }
}
