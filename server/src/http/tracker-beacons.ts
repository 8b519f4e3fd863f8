import { emailPattern } from '@tributary/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Db } from '../db/database.ts'
import { reportLead } from '../earning/conversions/report-lead.ts'
import type { ClickWriter } from '../earning/tracking/click-writer.ts'
import type { Links } from '../earning/tracking/links.ts'
import { type MerchantSites, merchantSites } from '../earning/tracking/merchant-sites.ts'
import { type Beacon, recordClick } from '../earning/tracking/record-click.ts'
import type { Lead } from '../earning/tracking/record-lead.ts'
import { networkOf } from '../kit/address.ts'
import { invalid } from '../kit/domain-error.ts'
import type { CountGuesses } from './authenticate/guess-limit.ts'
import { tooManyAttempts } from './authenticate/rate-limited.ts'
import { objectBody, parseJson } from './request/body.ts'
import { withBody } from './request/read-body.ts'
import { reader } from './request/validation.ts'
import { loadSchemaCompilers } from './schema-compilers.ts'

const LARGEST_BEACON_BYTES = 8 * 1024
/** From one network. Each may write a row, and a caller that sends many of them is guessing at other people's emails. */
const LEADS_PER_MINUTE = 60

const account = Type.String({ minLength: 1, maxLength: 64 })
const visitor_id = Type.String({ minLength: 8, maxLength: 64 })
const click_id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

const readBeacon = reader(
  Type.Object(
    {
      account,
      visitor_id,
      token: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      click_id: Type.Optional(click_id),
      campaign: Type.Optional(Type.String({ maxLength: 64 })),
      url: Type.Optional(Type.String({ maxLength: 4096 })),
      referrer: Type.Optional(Type.String({ maxLength: 4096 })),
    },
    { additionalProperties: false },
  ),
)

const readLead = reader(
  Type.Object(
    { account, visitor_id, click_id, email: Type.String({ maxLength: 254, pattern: emailPattern }) },
    { additionalProperties: false },
  ),
)

/**
 * CORS: only the merchant's own pages may read the response. Other origins may send new clicks but learn nothing. Returns the merchant's
 * sites, undefined if the page is on none of them.
 */
async function allowOrigin(
  db: Db,
  request: FastifyRequest,
  reply: FastifyReply,
  accountSlug: string,
): Promise<MerchantSites | undefined> {
  const { origin } = request.headers
  reply.header('Vary', 'Origin')
  if (!origin) return undefined
  const sites = await merchantSites(db, accountSlug)
  if (!sites.includes(origin)) return undefined
  reply.header('Access-Control-Allow-Origin', origin)
  return sites
}

/** Refuses a page that is on none of the merchant's sites. */
function assertOwnSite({ headers }: FastifyRequest, sites: MerchantSites | undefined): void {
  if (headers.origin && !sites) throw invalid('account', 'does not allow its tracker on this site')
}

export interface BeaconServices {
  db: Db
  clicks: ClickWriter
  links: Links
  addressKey: Buffer
  countryOf: (address: string) => string | null
  leadKey: Buffer
}

/** What the tracker reports from the merchant's pages: clicks, and emails that visitors leave there. */
export function addBeacons(app: FastifyInstance, tracking: BeaconServices, countGuesses: CountGuesses): void {
  const leads = countGuesses('leads', LEADS_PER_MINUTE)

  // Sent as text/plain to avoid a CORS preflight; parsed as JSON whatever the content type.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request: FastifyRequest) =>
    withBody(request, bytes => (bytes.length > 0 ? parseJson(bytes) : undefined)),
  )
  app.post('/t/clicks', { bodyLimit: LARGEST_BEACON_BYTES }, async (request, reply) => {
    await loadSchemaCompilers()
    const beacon: Beacon = readBeacon(objectBody(request.body, true))
    const sites = await allowOrigin(tracking.db, request, reply, beacon.account)
    // A foreign page in the visitor's own browser has their address and user agent: it could take their click, and with another one the
    // credit. What isn't a browser sends no Origin, and has another address.
    if (beacon.click_id !== undefined) assertOwnSite(request, sites)
    const recorded = await recordClick(tracking, beacon, {
      address: request.ip,
      userAgent: request.headers['user-agent'],
      referrer: undefined,
    })
    const cookies = sites?.sharesSubdomains ? { shares_subdomains: true } : {}
    return reply
      .code(201)
      .header('Cache-Control', 'no-store')
      .send({ ...recorded, ...cookies })
  })
  app.post(
    '/t/leads',
    {
      bodyLimit: LARGEST_BEACON_BYTES,
      // Before the body is read.
      onRequest: async ({ ip }) => {
        const { admitted, freesInMs } = await leads.begin(networkOf(ip))
        if (!admitted) throw tooManyAttempts(freesInMs)
      },
    },
    async (request, reply) => {
      await loadSchemaCompilers()
      const lead: Lead = readLead(objectBody(request.body, true))
      const sites = await allowOrigin(tracking.db, request, reply, lead.account)
      assertOwnSite(request, sites)
      await reportLead(tracking, lead)
      return reply.code(201).header('Cache-Control', 'no-store').send({})
    },
  )
  // Preflight, for pages that send JSON. No lookup here: the response to the beacon itself restricts who may read it.
  for (const path of ['/t/clicks', '/t/leads'])
    app.options(path, async (request, reply) =>
      reply
        .code(204)
        .header('Access-Control-Allow-Origin', request.headers.origin ?? '*')
        .header('Access-Control-Allow-Methods', 'POST')
        .header('Access-Control-Allow-Headers', 'content-type')
        .header('Vary', 'Origin')
        .send(),
    )
}
