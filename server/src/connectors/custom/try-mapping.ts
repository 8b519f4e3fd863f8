import { billingReasonText } from '@tributary/contract/billing-text'
import type { ConnectorMapping, MappingTrial } from '@tributary/contract/dashboard'
import { LONGEST_SAMPLE } from '@tributary/contract/dashboard/connector-providers'
import { DomainError } from '../../kit/domain-error.ts'
import { assertPlainShape } from '../../kit/json-shape.ts'
import type { ConnectorRow } from '../connector.store.ts'
import { withName } from '../connector-name.ts'
import { nameReferrer } from '../evidence.ts'
import { pathProblem, pathSteps, valueAt } from '../field-path.ts'
import type { ReadSettings } from '../provider.ts'
import type { BillingReport } from '../reading.ts'
import { parseObject } from '../signature.ts'
import { eventOf } from './custom.ts'
import { mappingProblem, notAPath } from './mapping.ts'
import { repeatedIn, storedMapping } from './mapping-form.ts'
import { readCustomEvent } from './read-event.ts'

/** Enough to recognise a value. */
const LONGEST_VALUE = 200

type Trial = MappingTrial
const nothing: Trial = { problem: null, event: null, fields: [], reports: [], ignored: null }

/** What is wrong with a mapping as it was typed; undefined if it can be stored. */
export function problemOf(mapping: ConnectorMapping): string | undefined {
  const twice = repeatedIn(mapping)
  return twice === undefined ? mappingProblem(storedMapping(mapping)) : `has ${twice} twice`
}

/** What a path finds. Only `is_test` may be true or false: everything else is text or a number. */
function found(body: unknown, { field, path }: ConnectorMapping['fields'][number]): Trial['fields'][number] {
  if (!pathSteps(path)) return { field, value: null, problem: notAPath }
  const problem = pathProblem(body, path, field === 'is_test' ? 'boolean' : 'text')
  return {
    field,
    value: problem === undefined ? String(valueAt(body, path)).slice(0, LONGEST_VALUE).toWellFormed() : null,
    problem: problem ?? null,
  }
}

const none = {
  external_id: null,
  customer: null,
  sale_external_id: null,
  amount_minor: null,
  currency: null,
  amount_in_sale_currency: null,
  click_id: null,
  token: null,
  coupon_code: null,
  is_test: false,
}

function presentReport(report: BillingReport): Trial['reports'] {
  switch (report.kind) {
    case 'customer':
      // One with an email alone credits no one.
      if (!nameReferrer([report])) return []
      return [
        {
          ...none,
          kind: report.kind,
          customer: report.customer,
          click_id: report.clickId ?? null,
          token: report.tokens?.[0] ?? null,
          coupon_code: report.couponCodes?.[0] ?? null,
          is_test: report.isTest ?? false,
        },
      ]
    case 'sale':
      return [
        {
          ...none,
          kind: report.kind,
          external_id: report.externalId,
          customer: report.customer,
          amount_minor: Number(report.amountMinor),
          currency: report.currency,
          is_test: report.isTest ?? false,
        },
      ]
    case 'refund':
      return [
        {
          ...none,
          kind: report.kind,
          external_id: report.externalId,
          sale_external_id: 'externalId' in report.sale ? report.sale.externalId : null,
          amount_minor:
            report.amountMinor === undefined || report.currency === undefined
              ? null
              : Number(report.amountMinor),
          currency: report.currency ?? null,
          amount_in_sale_currency:
            report.currency === undefined
              ? (report.amountDecimal ?? report.amountMinor?.toString() ?? null)
              : null,
        },
      ]
    case 'refund_reversed':
      return [{ ...none, kind: report.kind, external_id: report.refundExternalId }]
    default:
      return []
  }
}

/** The sample as an object; otherwise what the inbox would say to such a body. */
function parseSample(bytes: Buffer): { body: Record<string, unknown> } | { problem: string } {
  try {
    assertPlainShape(bytes, LONGEST_SAMPLE)
  } catch (error) {
    if (error instanceof DomainError) return { problem: error.message }
    throw error
  }
  const body = parseObject(bytes)
  return body ? { body } : { problem: 'The sample is not a JSON object.' }
}

/** Runs a mapping on a sample, exactly as an event is read, and stores nothing. */
export function tryMapping(
  mapping: ConnectorMapping,
  sample: string,
  { name, ...settings }: Pick<ReadSettings, 'base' | 'takesTests'> & Pick<ConnectorRow, 'name'>,
  now: number,
): Trial {
  const bytes = Buffer.from(sample)
  const parsed = parseSample(bytes)
  if ('problem' in parsed) return { ...nothing, problem: parsed.problem }
  const fields = mapping.fields.map(mapped => found(parsed.body, mapped))
  const problem = problemOf(mapping)
  if (problem !== undefined) return { ...nothing, fields, problem: `The mapping ${problem}.` }
  const stored = storedMapping(mapping)
  const event = eventOf(bytes, stored, now)
  if (!event) return { ...nothing, fields, problem: 'The event has no type at the path of "type".' }
  const reading = withName(
    { provider: 'custom', name },
    readCustomEvent(event, { ...settings, mapping: stored }),
  )
  const shown = {
    ...nothing,
    fields,
    event: { id: event.id, type: event.type, occurred_at: event.occurredAt },
  }
  if ('ignored' in reading) return { ...shown, ignored: billingReasonText(reading.ignored) }
  const reports = reading.reports.flatMap(presentReport)
  return reports.length > 0
    ? { ...shown, reports }
    : { ...shown, ignored: billingReasonText({ code: 'no_evidence' }) }
}
