import { type ErrorCode, errorMeanings, errorStatuses } from '@tributary/contract'
import { anchor, type Column, type Content, example, type Html, html, prose, table } from './html.ts'
import { errorCodes } from './operation.ts'

export interface Chapter {
  readonly id: string
  readonly title: string
  readonly content: Html
}

const errorColumns: readonly Column<ErrorCode>[] = [
  { title: 'Code', cell: code => html`<code>${code}</code>`, id: code => anchor('error', code) },
  { title: 'Status', cell: code => errorStatuses[code] },
  { title: 'Meaning', cell: code => prose(errorMeanings[code]) },
]

const rateHeaders: readonly (readonly [name: string, meaning: string])[] = [
  ['RateLimit-Policy', 'The limit and its window, as the IETF draft writes them.'],
  ['RateLimit', 'What is left of it, and for how long, in the same notation.'],
  ['X-RateLimit-Limit', 'Requests allowed in the window.'],
  ['X-RateLimit-Remaining', 'Requests left at this moment.'],
  ['X-RateLimit-Reset', 'Seconds until more become available.'],
  ['Retry-After', 'Only when refused: whole seconds to wait.'],
]

const rateColumns: readonly Column<(typeof rateHeaders)[number]>[] = [
  { title: 'Header', cell: ([name]) => html`<code>${name}</code>` },
  { title: 'Meaning', cell: ([, meaning]) => meaning },
]

const paragraphs = (...texts: string[]): Content => texts.map(text => html`<p>${prose(text)}</p>\n`)

function access(baseUrl: string): Chapter[] {
  const url = `'${baseUrl}/api/v1/campaigns'`
  return [
    {
      id: 'base-url',
      title: 'Base URL',
      content: html`${example('Every path begins with', `${baseUrl}/api/v1\n${baseUrl}/ingest/v1   what your backend reports`)}
${paragraphs(
  'The version is part of the path. The API is for servers: CORS is off, and a key does not belong in a browser.',
  'Bodies are JSON objects sent as `application/json`, at most 256 KiB. An unknown field or query parameter is refused by name, so a typing error never passes in silence. Every answer carries a `Request-Id`: quote it when something needs looking up.',
)}`,
    },
    {
      id: 'authentication',
      title: 'Authentication',
      content: html`${paragraphs(
        'Every request needs an API key of the account. It begins with `trib_` and is shown once, when it is made. The examples on this page read it from `$TRIBUTARY_KEY`. Send it as a Bearer token:',
      )}
${example('Bearer', `curl ${url} \\\n  -H "Authorization: Bearer $TRIBUTARY_KEY"`)}
${paragraphs('Or as the username of HTTP Basic. The password is ignored, hence the colon with nothing behind it:')}
${example('Basic', `curl ${url} \\\n  -u "$TRIBUTARY_KEY:"`)}`,
    },
  ]
}

function sdk(baseUrl: string): Chapter {
  return {
    id: 'sdk',
    title: 'SDK',
    content: html`${paragraphs('JavaScript and TypeScript programs use the SDK of this service: typed, without dependencies, with retries and webhook verification.')}
${example('Install it', `npm install ${baseUrl}/sdk/latest.tgz`)}
<p>See <a href="/docs/sdk">the guide</a>.</p>`,
  }
}

function answers(baseUrl: string): Chapter[] {
  return [
    {
      id: 'errors',
      title: 'Errors',
      content: html`${paragraphs(
        'An error has one shape. Programs go by `code`, which is stable; `message` is for people, and names the field at fault.',
      )}
${example('Example error, 422', '{\n  "error": {\n    "code": "validation_failed",\n    "message": "campaign_id is required."\n  }\n}')}
${table('Error codes', errorColumns, errorCodes)}`,
    },
    {
      id: 'pagination',
      title: 'Pagination',
      content: html`${paragraphs(
        'Lists begin with the newest item and hold 25, or as many as `limit` asks for, from 1 to 100. While `has_more` is true, pass the last `id` of the page as `starting_after` to get the next one.',
        'Filters narrow a list together: an item must match them all. `created_after` and `created_before` leave out the moment that they name.',
      )}`,
    },
    {
      id: 'idempotency',
      title: 'Idempotency keys',
      content: html`${paragraphs(
        'A POST or PATCH with an `Idempotency-Key`, up to 255 printable ASCII characters, is safe to retry. For 24 hours the same key and request bring back the first answer, marked `Idempotent-Replayed: true`, and nothing happens twice.',
      )}
${example(
  'A request that can be repeated',
  `curl '${baseUrl}/api/v1/affiliates/1042/magic_link' -X POST \\\n  -H "Authorization: Bearer $TRIBUTARY_KEY" \\\n  -H 'Idempotency-Key: 0b9d6c52-sign-in-1042'`,
)}
${paragraphs(
  'The same key with another request is 409 `conflict`, and so is a retry while the first request is still under way (that one with `Retry-After`). Keys of different API keys never meet.',
)}`,
    },
    {
      id: 'rate-limit',
      title: 'Rate limit',
      content: html`${paragraphs(
        'Each API key may make 300 requests in any 60 seconds, unless whoever runs the service chose another figure. Over it, the answer is 429 `rate_limited`; refused requests do not count against the limit. Every answer says where you stand:',
      )}
${table('Rate limit headers', rateColumns, rateHeaders)}`,
    },
  ]
}

function values(): Chapter[] {
  return [
    {
      id: 'money-and-time',
      title: 'Money and time',
      content: html`${paragraphs(
        'Money is an integer in minor units, in a field that ends in `_minor`, with its ISO-4217 currency in a field beside it: `2940` and `USD` are 29.40 dollars. Identifiers and amounts stay within ±(2^53 − 1), which every JSON parser reads exactly.',
        'Timestamps are RFC 3339 in UTC with milliseconds: `2026-01-31T12:00:00.000Z`.',
      )}`,
    },
    {
      id: 'deliveries',
      title: 'Webhook deliveries',
      content: html`${paragraphs(
        'An event is a POST to each endpoint that subscribed to its kind. `data` is the object as its GET returns it; `id` stays the same on every attempt, so use it to recognise a repetition.',
      )}
${example('Envelope', '{\n  "id": 20417,\n  "type": "promoter.approved",\n  "created_at": "2026-01-31T12:00:00.000Z",\n  "data": { … }\n}')}
${paragraphs(
  'To verify it, take `t` and `v1` from `Tributary-Signature: t=…,v1=…`. Compute HMAC-SHA256, keyed with the whole secret, over `t`, a full stop and the raw body; compare the hex digest with `v1` in constant time, and refuse a `t` more than 300 seconds away.',
  'Answer 200 within 10 seconds. Anything else is tried again, 10 attempts over about three days, except 410, which disables the endpoint. Events arrive at least once, in no fixed order.',
)}`,
    },
  ]
}

/** What holds for every operation. The document has no place for it, so it is written here. */
export const introduction = (baseUrl: string): Chapter[] => [
  ...access(baseUrl),
  sdk(baseUrl),
  ...answers(baseUrl),
  ...values(),
]
