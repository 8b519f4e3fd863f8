import { randomBytes } from 'node:crypto'
import { accessPages } from '@tributary/contract/portal/texts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../../db/services.ts'
import { addressHashes } from '../../earning/tracking/visit.ts'
import { networkOf } from '../../kit/address.ts'
import { DomainError, notFound } from '../../kit/domain-error.ts'
import { idFrom } from '../../kit/path-id.ts'
import { isLinkToken, sha256 } from '../../kit/tokens.ts'
import { parseUrl } from '../../kit/url.ts'
import { canConfirm, confirmations, confirmJoin, termsOfJoin } from '../../portal/join.ts'
import { signInByLink, signInLinks } from '../../portal/portal-sessions.ts'
import { isUnsubscribeKey, unsubscribe } from '../../programme/digests/unsubscribe.ts'
import type { TermsToAccept } from '../../programme/join-forms/join-form.store.ts'
import type { PortalRow } from '../../programme/portal-settings/portal.store.ts'
import { logoAddress } from '../../programme/portal-settings/portal-address.ts'
import { startPortalView, VIEW_SECONDS, viewLinks } from '../../programme/portal-views/portal-views.ts'
import { viewCookie } from '../authenticate/affiliate.ts'
import type { CountGuesses } from '../authenticate/guess-limit.ts'
import { setPortalCookie } from '../authenticate/portal-cookie.ts'
import { secondsUntil } from '../authenticate/rate-limited.ts'
import { clearCookie, readCookie, setCookie } from '../authenticate/session-cookie.ts'
import { portalOf } from '../portal-host.ts'
import { type AccessPage, renderAccessPage } from '../response/access-page.ts'
import { sendHtml } from '../response/page-headers.ts'
import { PLAIN_COLOUR } from '../response/plain-page.ts'

/** Invalid links per minute and network. */
const WRONG_LINKS_PER_MINUTE = 20

/**
 * Whether the form was submitted from one of our pages. With `no-referrer`, browsers send `Origin: null` for forms; they report the
 * initiator in Sec-Fetch-Site instead.
 */
function assertOwnForm(request: FastifyRequest): void {
  const site = request.headers['sec-fetch-site']
  const { origin } = request.headers
  const isOurs =
    site === undefined
      ? origin === undefined || origin === 'null' || parseUrl(origin)?.host === request.host
      : site === 'same-origin' || site === 'none'
  if (!isOurs) throw new DomainError('unauthorized', 'The request does not come from a page of this service.')
}

/** A page whose link is valid, and the label of its button. */
type Ready = Pick<AccessPage, 'title' | 'text' | 'submitsItself' | 'answers' | 'terms'> & { label: string }

const shownTerms = ({ version, text, url, campaign_name }: TermsToAccept): NonNullable<Ready['terms']> => ({
  label: accessPages.confirm.terms,
  text,
  link: url === null ? null : { label: accessPages.confirm.readTerms, href: url },
  note: accessPages.confirm.accept(version, campaign_name),
})

/** The pages that links in emails and from other sites lead to. */
export function portalAccessPages(
  app: FastifyInstance,
  services: Services,
  countGuesses: CountGuesses,
  baseOf: (request: FastifyRequest, portal: Pick<PortalRow, 'slug'>) => string,
): void {
  const { db } = services
  const addressKey = services.secrets.key('visitor address')
  const wrongLinks = countGuesses('links', WRONG_LINKS_PER_MINUTE)

  /** Sends a page in the company's branding; unbranded if finding the portal would cost a query. */
  const show = (
    request: FastifyRequest,
    reply: FastifyReply,
    portal: PortalRow | undefined,
    page: Pick<AccessPage, 'title' | 'text' | 'button' | 'submitsItself' | 'answers' | 'terms'>,
  ) => {
    const styleNonce = randomBytes(16).toString('base64')
    const html = renderAccessPage({
      ...page,
      styleNonce,
      company: portal && (portal.name ?? portal.account_name),
      colour: portal?.colour ?? PLAIN_COLOUR,
      logo: portal ? logoAddress(baseOf(request, portal), portal) : null,
      icon: portal ? `${baseOf(request, portal)}/favicon.ico` : null,
    })
    const frameOrigins = portal?.frame_origins ?? []
    return sendHtml(reply, html, { frameOrigins, styleNonce, isSecret: true })
  }

  const spentPage = (base: string) => {
    const { title, text, button } = accessPages.spent
    return { title, text, button: { label: button, href: `${base}/sign-in` } }
  }

  const signIn = (request: FastifyRequest, reply: FastifyReply, portal: PortalRow, token: string) => {
    setPortalCookie(request, reply, portal, token)
    // A view in the same browser would hide the session.
    if (readCookie(request, viewCookie(portal)) !== undefined) clearCookie(request, reply, viewCookie(portal))
  }
  const beginView = (request: FastifyRequest, reply: FastifyReply, portal: PortalRow, token: string) =>
    setCookie(request, reply, viewCookie(portal), token, { seconds: VIEW_SECONDS })

  /** The access page of a link. GET shows whether the link is valid and changes nothing; the form's POST uses it. */
  function accessPage<Link extends { account_id: number }>(
    path: string,
    ready: (company: string, link: Link) => Ready | Promise<Ready>,
    look: (digest: Buffer, isWithinLimit: boolean, slug: string) => Promise<Link | undefined>,
    enter: typeof signInByLink,
    signsIn: (
      request: FastifyRequest,
      reply: FastifyReply,
      portal: PortalRow,
      token: string,
    ) => void = signIn,
  ): void {
    const lookAt = async (request: FastifyRequest, isWithinLimit: boolean) => {
      const { slug, token } = request.params as { slug: string; token: string }
      // PostgreSQL rejects a parameter with a NUL.
      return isLinkToken(token) && !slug.includes('\0') ? look(sha256(token), isWithinLimit, slug) : undefined
    }

    app.get(`/${path}/:token`, async (request, reply) => {
      const portal = await portalOf(request, db)
      const link = await lookAt(request, true)
      if (link?.account_id !== portal.account_id)
        return show(request, reply.code(410), portal, spentPage(baseOf(request, portal)))
      const { label, ...page } = await ready(portal.name ?? portal.account_name, link)
      return show(request, reply, portal, { ...page, button: { label } })
    })
    app.post(`/${path}/:token`, async (request, reply) => {
      assertOwnForm(request)
      const { slug, token } = request.params as { slug: string; token: string }
      const base = baseOf(request, { slug })
      const network = networkOf(request.ip)
      const guess = await wrongLinks.begin(network)
      const tooMany = () => {
        reply.code(429).header('Retry-After', secondsUntil(guess.freesInMs))
        return show(request, reply, undefined, spentPage(base))
      }
      // A valid link works however many invalid ones came from its network; the limit only applies to invalid ones.
      const link = await lookAt(request, guess.admitted)
      if (!link && !guess.admitted) return tooMany()
      const portal = await portalOf(request, db)
      const addressOfVisitor = addressHashes(request.ip, addressKey)
      const session =
        link?.account_id === portal.account_id
          ? await enter(db, portal.account_id, token, addressOfVisitor)
          : undefined
      if (session === undefined)
        return guess.admitted ? show(request, reply.code(410), portal, spentPage(base)) : tooMany()
      wrongLinks.forgive(network, guess)
      signsIn(request, reply, portal, session)
      return reply.header('Cache-Control', 'no-store').redirect(base || '/', 303)
    })
  }
  unsubscribePage(app, services, async (request, reply, portal, page) => {
    const company = portal.name ?? portal.account_name
    const { title, text, button, doneTitle, doneText, open } = accessPages.unsubscribe
    return page === 'ask'
      ? show(request, reply, portal, { title, text: text(company), button: { label: button } })
      : show(request, reply, portal, {
          title: doneTitle,
          text: doneText,
          button: { label: open, href: baseOf(request, portal) || '/' },
        })
  })
  const links = signInLinks(db)
  const joins = confirmations(db)
  const lookAtLink = (...asked: Parameters<typeof links.get>) => links.get(...asked)
  const lookAtJoin = async (...asked: Parameters<typeof joins.get>) => {
    const join = await joins.get(...asked)
    return join && (await canConfirm(db, join.account_id, join)) ? join : undefined
  }
  const views = viewLinks(db)
  const { signIn: signInTexts, view, confirm } = accessPages
  // Links from the merchant's own site submit automatically. Links in emails do not: mail scanners open them and run scripts.
  accessPage(
    'sign-in',
    company => ({
      title: signInTexts.title(company),
      text: signInTexts.opening,
      label: signInTexts.button,
      submitsItself: true,
    }),
    lookAtLink,
    signInByLink,
  )
  accessPage(
    'enter',
    company => ({
      title: signInTexts.title(company),
      text: signInTexts.ready,
      label: signInTexts.button,
      submitsItself: false,
    }),
    lookAtLink,
    signInByLink,
  )
  accessPage(
    'view',
    company => ({
      title: view.title(company),
      text: view.opening,
      label: view.button,
      submitsItself: true,
    }),
    (...asked) => views.get(...asked),
    startPortalView,
    beginView,
  )
  accessPage(
    'confirm',
    async (company, join) => {
      const terms = await termsOfJoin(db, join)
      return {
        title: confirm.title(company),
        text: confirm.ready,
        label: confirm.button,
        submitsItself: false,
        ...(join.answers?.length && { answers: { label: confirm.answers, items: join.answers } }),
        ...(terms && { terms: shownTerms(terms) }),
      }
    },
    lookAtJoin,
    confirmJoin,
  )
}

/**
 * The page that unsubscribes an affiliate. GET asks, since mail scanners open links; POST does it, from the page's button or by the one
 * click that a mail program offers (RFC 8058), which has no session and no origin. The link itself is the proof.
 */
function unsubscribePage(
  app: FastifyInstance,
  { db, secrets }: Services,
  show: (
    request: FastifyRequest,
    reply: FastifyReply,
    portal: PortalRow,
    page: 'ask' | 'done',
  ) => Promise<unknown>,
): void {
  const linked = async (request: FastifyRequest) => {
    const portal = await portalOf(request, db)
    const { id, key } = request.params as { id: string; key: string }
    const subscription = { accountId: portal.account_id, kind: 'affiliate', id: idFrom(id) } as const
    if (!isUnsubscribeKey(secrets, subscription, key)) throw notFound('page')
    return { portal, subscription }
  }
  app.get('/unsubscribe/:id/:key', async (request, reply) =>
    show(request, reply, (await linked(request)).portal, 'ask'),
  )
  app.post('/unsubscribe/:id/:key', async (request, reply) => {
    const { portal, subscription } = await linked(request)
    await unsubscribe(db, subscription, request.ip)
    return show(request, reply, portal, 'done')
  })
}
