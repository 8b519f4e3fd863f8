import { numberedProviders } from '@tributary/contract/dashboard/connector-providers'
import type { ConnectorRow } from './connector.store.ts'
import type { BillingReport, Reading } from './reading.ts'

type Named = Pick<ConnectorRow, 'provider' | 'name'>

/** Whether a provider's IDs are numbers from 1 in each shop, and not unique at the provider. */
export const isNumbered = ({ provider }: Pick<Named, 'provider'>) =>
  (numberedProviders as readonly string[]).includes(provider)

/** What the external IDs of a connector begin with: of two shops with the same order numbers, one has a name. */
export const namespaceOf = ({ provider, name }: Named) => (name === null ? provider : `${provider}-${name}`)

/** An email names the same person in every shop; a number doesn't. */
function customerOf(connector: Named, customer: string): string {
  if (customer.includes('@')) return customer
  const { provider } = connector
  const number = customer.startsWith(`${provider}:`) ? customer.slice(provider.length + 1) : customer
  return `${namespaceOf(connector)}:${number}`
}

function namedReport(connector: Named, report: BillingReport): BillingReport {
  const named = (id: string) => `${namespaceOf(connector)}${id.slice(connector.provider.length)}`
  switch (report.kind) {
    case 'customer':
    case 'subscription':
      return { ...report, customer: customerOf(connector, report.customer) }
    case 'sale':
      return {
        ...report,
        externalId: named(report.externalId),
        customer: customerOf(connector, report.customer),
      }
    case 'payment':
      return { ...report, saleExternalId: named(report.saleExternalId) }
    case 'refund':
      return {
        ...report,
        externalId: named(report.externalId),
        sale: 'externalId' in report.sale ? { externalId: named(report.sale.externalId) } : report.sale,
      }
    case 'refund_reversed':
      return { ...report, refundExternalId: named(report.refundExternalId) }
    case 'code':
      return report
  }
}

/** What an event means, with the connector's name in its IDs, if it has one. */
export const withName = (connector: Named, reading: Reading): Reading =>
  connector.name === null || 'ignored' in reading
    ? reading
    : { reports: reading.reports.map(report => namedReport(connector, report)) }
