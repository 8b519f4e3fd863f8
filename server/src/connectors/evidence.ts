import type { BillingReport, CustomerReport, Ignored, Reading } from './reading.ts'

export const ignoredReading = (code: Ignored['code'], params?: Ignored['params']): Reading => ({
  ignored: params ? { code, params } : { code },
})

/** Free fields of a provider's object. */
export type Metadata = Record<string, unknown>

export type Evidence = Pick<CustomerReport, 'clickId' | 'maybeClickId' | 'tokens' | 'couponCodes'>

const textOf = (value: unknown) =>
  (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined

const valuesOf = (metadata: Metadata | null | undefined, names: string[]) =>
  names.map(name => (metadata && Object.hasOwn(metadata, name) ? textOf(metadata[name]) : undefined))

/** What the free fields of objects say about who referred the customer, the most specific object first. */
export function evidenceIn(...all: (Metadata | null | undefined)[]): Evidence {
  const find = (names: string[]) => [
    ...new Set(all.flatMap(metadata => valuesOf(metadata, names)).filter(value => value !== undefined)),
  ]
  const [clickId] = find(['tributary_click_id', 'click_id'])
  const tokens = find(['tributary_token', 'via', 'token', 'ref'])
  const couponCodes = find(['tributary_coupon_code', 'coupon_code'])
  return {
    ...(clickId !== undefined && { clickId }),
    ...(tokens.length > 0 && { tokens }),
    ...(couponCodes.length > 0 && { couponCodes }),
  }
}

/** Adds codes to evidence; undefined if there is none at all. */
export function withCodes(evidence: Evidence, codes: string[]): Evidence | undefined {
  const couponCodes = [...(evidence.couponCodes ?? []), ...codes]
  const all = { ...evidence, ...(couponCodes.length > 0 && { couponCodes }) }
  return Object.keys(all).length > 0 ? all : undefined
}

/** The query parameters of a page address, which may be a path. */
export function queryOf(address: string | undefined): Metadata {
  const query = address?.split('#', 1)[0]?.split('?')[1]
  return query === undefined ? {} : Object.fromEntries(new URLSearchParams(query))
}

/** Within this time after its creation, an event of a subscription belongs to the purchase. */
const PURCHASE_MS = 3_600_000

/**
 * Since when the evidence on a subscription counts: since its creation if the event belongs to the purchase, whose events arrive in any
 * order. Later the evidence may have been added, so that it counts from then on.
 */
export const evidentSince = (createdAt: string, eventAt: string): string =>
  Date.parse(eventAt) - Date.parse(createdAt) > PURCHASE_MS ? eventAt : createdAt

/** The report of a customer, if anything says who referred them, or what their email is: it may be the affiliate's own. */
export function referredCustomer(
  evidence: Evidence | undefined,
  customer: Omit<CustomerReport, 'kind' | keyof Evidence>,
): BillingReport[] {
  return evidence || customer.email !== undefined ? [{ kind: 'customer', ...customer, ...evidence }] : []
}

/** Whether any report says who referred the customer. */
export const nameReferrer = (reports: BillingReport[]): boolean =>
  reports.some(
    report =>
      report.kind === 'customer' &&
      (report.clickId ?? report.maybeClickId ?? report.tokens ?? report.couponCodes) !== undefined,
  )
