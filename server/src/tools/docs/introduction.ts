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
  ['RateLimit-Policy', 'The limit and its window, as defined by the IETF draft.'],
  ['RateLimit', 'Requests left and seconds until reset, in the same notation.'],
  ['X-RateLimit-Limit', 'Requests allowed in the window.'],
  ['X-RateLimit-Remaining', 'Requests left in the window.'],
  ['X-RateLimit-Reset', 'Seconds until more requests are available.'],
  ['Retry-After', 'On 429 only: seconds to wait.'],
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
      content: html`${example('Base URLs', `${baseUrl}/api/v1\n${baseUrl}/ingest/v1   conversions, sales and refunds`)}
${paragraphs(
  'The version is part of the path. The API is for servers: CORS is disabled, and an API key must not be used in a browser.',
  'Request bodies are JSON objects with the content type `application/json`, up to 256 KiB. Unknown fields and query parameters are rejected, so typos never go unnoticed. Every response has a `Request-Id`, which identifies the request in the log.',
)}`,
    },
    {
      id: 'authentication',
      title: 'Authentication',
      content: html`${paragraphs(
        'Every request needs an API key of the account. Keys start with `trib_` and are shown only once, when created. The examples on this page read the key from `$TRIBUTARY_KEY`. Send it as a Bearer token:',
      )}
${example('Bearer', `curl ${url} \\\n  -H "Authorization: Bearer $TRIBUTARY_KEY"`)}
${paragraphs('Or as the username of HTTP Basic authentication, with an empty password:')}
${example('Basic', `curl ${url} \\\n  -u "$TRIBUTARY_KEY:"`)}`,
    },
  ]
}

function sdk(baseUrl: string): Chapter {
  return {
    id: 'sdk',
    title: 'SDK',
    content: html`${paragraphs('The SDK for JavaScript and TypeScript is fully typed, has no dependencies, and includes retries and webhook verification.')}
${example('Install', `npm install ${baseUrl}/sdk/latest.tgz`)}
<p>See <a href="/docs/sdk">the guide</a>.</p>`,
  }
}

function responses(baseUrl: string): Chapter[] {
  return [
    {
      id: 'errors',
      title: 'Errors',
      content: html`${paragraphs(
        'All errors have the same shape. `code` is stable and meant for programs; `message` is meant for people and names the invalid field.',
      )}
${example('Example error, 422', '{\n  "error": {\n    "code": "validation_failed",\n    "message": "campaign_id is required."\n  }\n}')}
${table('Error codes', errorColumns, errorCodes)}`,
    },
    {
      id: 'pagination',
      title: 'Pagination',
      content: html`${paragraphs(
        'Lists are ordered newest first. A page has 25 items by default; set `limit` from 1 to 100 to change that. While `has_more` is true, pass the `id` of the last item as `starting_after` to get the next page.',
        'Filters combine with AND. `created_after` and `created_before` are exclusive.',
      )}`,
    },
    {
      id: 'idempotency',
      title: 'Idempotency keys',
      content: html`${paragraphs(
        'A POST or PATCH with an `Idempotency-Key` of up to 255 printable ASCII characters is safe to retry. For 24 hours, the same request with the same key replays the first response, marked `Idempotent-Replayed: true`, and has no further effect.',
      )}
${example(
  'A request that is safe to retry',
  `curl '${baseUrl}/api/v1/affiliates/1042/magic_link' -X POST \\\n  -H "Authorization: Bearer $TRIBUTARY_KEY" \\\n  -H 'Idempotency-Key: 0b9d6c52-sign-in-1042'`,
)}
${paragraphs(
  'The same key with a different request returns 409 `conflict`. So does a retry while the first request is still in progress, with a `Retry-After`. Idempotency keys are scoped to the API key.',
)}`,
    },
    {
      id: 'rate-limit',
      title: 'Rate limit',
      content: html`${paragraphs(
        'By default, each API key can make 300 requests in any 60 seconds. Further requests return 429 `rate_limited` and do not count against the limit. Every response has the current state in its headers:',
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
        'Amounts are integers in minor units, in fields that end in `_minor`, next to a field with the ISO-4217 currency: `2940` and `USD` are 29.40 dollars. IDs and amounts stay within ±(2^53 − 1), so every JSON parser reads them exactly.',
        'Timestamps are RFC 3339 in UTC with milliseconds: `2026-01-31T12:00:00.000Z`.',
      )}`,
    },
    {
      id: 'deliveries',
      title: 'Webhook deliveries',
      content: html`${paragraphs(
        'An event is sent as a POST to every endpoint that subscribes to its type. `data` is the object as its GET returns it. `id` is the same for every attempt: use it to deduplicate.',
      )}
${example('Payload', '{\n  "id": 20417,\n  "type": "promoter.approved",\n  "created_at": "2026-01-31T12:00:00.000Z",\n  "data": { … }\n}')}
${paragraphs(
  'To verify a delivery, take `t` and `v1` from `Tributary-Signature: t=…,v1=…`. Compute the HMAC-SHA256 of `t`, a full stop and the raw body, keyed with the whole secret. Compare its hex digest with `v1` in constant time, and reject a `t` more than 300 seconds away.',
  'Respond with 200 within 10 seconds. Any other status is retried, with 10 attempts over about three days, except 410, which disables the endpoint. Events are delivered at least once, in no guaranteed order.',
)}`,
    },
  ]
}

/** What applies to every operation and has no place in the OpenAPI document. */
export const introduction = (baseUrl: string): Chapter[] => [
  ...access(baseUrl),
  sdk(baseUrl),
  ...responses(baseUrl),
  ...values(),
]
