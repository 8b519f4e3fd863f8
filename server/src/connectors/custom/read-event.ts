import type { ConnectorEventKind, MappedField } from '@tributary/contract/dashboard/connector-providers'
import { parseDecimal } from '../../kit/money.ts'
import { currencyFrom, minorFromDecimal, minorFromWhole } from '../amounts.ts'
import { ignoredReading, nameReferrer, referredCustomer, withCodes } from '../evidence.ts'
import { textAt, valueAt } from '../field-path.ts'
import type { ReadSettings, VerifiedEvent } from '../provider.ts'
import type { BillingReport, Reading } from '../reading.ts'
import { mappingOf } from './mapping.ts'

const externalId = (id: string) => `custom:${id}`
const lacks = (field: MappedField) => ignoredReading('incomplete', { field })

/** The fields of one event, by a mapping. */
class Fields {
  readonly #body: unknown
  readonly #mapping: ReturnType<typeof mappingOf>

  constructor(body: unknown, mapping: ReturnType<typeof mappingOf>) {
    this.#body = body
    this.#mapping = mapping
  }

  text(field: MappedField): string | undefined {
    const path = this.#mapping.fields[field]
    return path === undefined ? undefined : textAt(this.#body, path)
  }

  isTrue(field: MappedField): boolean {
    const path = this.#mapping.fields[field]
    return path !== undefined && valueAt(this.#body, path) === true
  }

  get areMinor(): boolean {
    return this.#mapping.amounts === 'minor'
  }

  amount(field: MappedField, currency: string): bigint | undefined {
    const text = this.text(field)
    return this.areMinor ? minorFromWhole(text) : minorFromDecimal(text, currency)
  }
}

/** The customer, with whatever says who referred them. */
function customerReports(
  fields: Fields,
  customer: string,
  occurredAt: string,
  isTest: boolean,
): BillingReport[] {
  const [clickId, token, code] = [fields.text('click_id'), fields.text('token'), fields.text('coupon_code')]
  const [email, subscription] = [fields.text('email'), fields.text('subscription')]
  const evidence = withCodes(
    { ...(clickId !== undefined && { clickId }), ...(token !== undefined && { tokens: [token] }) },
    code === undefined ? [] : [code],
  )
  return referredCustomer(evidence, {
    customer,
    ...(email !== undefined && { email }),
    ...(subscription !== undefined && { subscription }),
    occurredAt,
    isTest,
  })
}

function readSale(fields: Fields, occurredAt: string, isTest: boolean): Reading {
  const [customer, id, subscription] = [
    fields.text('customer'),
    fields.text('sale_id'),
    fields.text('subscription'),
  ]
  const currency = currencyFrom(fields.text('currency'))
  if (customer === undefined) return lacks('customer')
  if (id === undefined) return lacks('sale_id')
  if (currency === undefined) return lacks('currency')
  const amountMinor = fields.amount('amount', currency)
  const paidMinor = fields.amount('paid', currency)
  if (amountMinor === undefined) return lacks('amount')
  const reports = customerReports(fields, customer, occurredAt, isTest)
  if (amountMinor === 0n) return nameReferrer(reports) ? { reports } : ignoredReading('zero_amount')
  reports.push({
    kind: 'sale',
    externalId: externalId(id),
    customer,
    amountMinor,
    ...(paidMinor !== undefined && paidMinor > 0n && { paidMinor }),
    currency,
    occurredAt,
    ...(subscription !== undefined && { subscription }),
    ...(isTest && { isTest }),
  })
  return { reports }
}

/** A refund without an amount is one of all that is left. An amount that can't be read is not. Without a currency it is in its sale's. */
function readRefund(fields: Fields, occurredAt: string): Reading {
  const [sale, refund] = [fields.text('sale_id'), fields.text('refund_id')]
  if (sale === undefined) return lacks('sale_id')
  if (refund === undefined) return lacks('refund_id')
  const report = {
    kind: 'refund',
    externalId: externalId(refund),
    sale: { externalId: externalId(sale) },
    occurredAt,
  } as const
  const [amount, named] = [fields.text('refund_amount'), fields.text('currency')]
  if (amount === undefined) return { reports: [report] }
  if (named === undefined && !fields.areMinor)
    return parseDecimal(amount) ? { reports: [{ ...report, amountDecimal: amount }] } : lacks('refund_amount')
  const currency = currencyFrom(named)
  if (named !== undefined && currency === undefined) return lacks('currency')
  const amountMinor = fields.amount('refund_amount', currency ?? '')
  if (amountMinor === undefined) return lacks('refund_amount')
  return { reports: [{ ...report, amountMinor, ...(currency !== undefined && { currency }) }] }
}

function readKind(kind: ConnectorEventKind, fields: Fields, occurredAt: string, isTest: boolean): Reading {
  if (kind === 'sale') return readSale(fields, occurredAt, isTest)
  if (kind === 'refund') return readRefund(fields, occurredAt)
  if (kind === 'refund_reversed') {
    const refund = fields.text('refund_id')
    if (refund === undefined) return lacks('refund_id')
    return { reports: [{ kind, refundExternalId: externalId(refund), occurredAt }] }
  }
  const customer = fields.text('customer')
  if (customer === undefined) return lacks('customer')
  const reports = customerReports(fields, customer, occurredAt, isTest)
  return reports.length > 0 ? { reports } : ignoredReading('no_evidence')
}

/** What an event of another system means, by the connector's mapping. */
export function readCustomEvent(
  event: VerifiedEvent,
  { mapping: stored, takesTests }: ReadSettings,
): Reading {
  const mapping = mappingOf(stored)
  const fields = new Fields(event.body, mapping)
  const isTest = fields.isTrue('is_test')
  if (isTest && !takesTests) return ignoredReading('test_mode')
  const kind = Object.hasOwn(mapping.events, event.type) ? mapping.events[event.type] : undefined
  if (kind === undefined) return ignoredReading('unknown_type', { type: event.type })
  return readKind(kind, fields, event.occurredAt, isTest)
}
