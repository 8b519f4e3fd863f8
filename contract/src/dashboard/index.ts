import type { Static, TSchema } from 'typebox'
import { affiliateContactSchemas } from './affiliate-contact.ts'
import { affiliatesSchemas } from './affiliates.ts'
import { campaignsSchemas } from './campaigns.ts'
import { commissionsSchemas } from './commissions.ts'
import { connectorsSchemas } from './connectors.ts'
import { creativesSchemas } from './creatives.ts'
import { digestsSchemas } from './digests.ts'
import { exploreSchemas } from './explore.ts'
import { firstStepsSchemas } from './first-steps.ts'
import { joinFormsSchemas } from './join-forms.ts'
import { mailServerSchemas } from './mail-server.ts'
import { mailTemplatesSchemas } from './mail-templates.ts'
import { overviewSchemas } from './overview.ts'
import { payoutsSchemas } from './payouts.ts'
import { portalSettingsSchemas } from './portal.ts'
import { referralsSchemas } from './referrals.ts'
import type { DashboardRouteId } from './routes.ts'
import type { DashboardSchema } from './schema.ts'
import { searchSchemas } from './search.ts'
import { settingsSchemas } from './settings.ts'
import { signalsSchemas } from './signals.ts'
import { testPayoutsSchemas } from './test-payouts.ts'
import { trackingSchemas } from './tracking.ts'
import { trafficSchemas } from './traffic.ts'
import { webhooksSchemas } from './webhooks.ts'

export * from './affiliate-contact.ts'
export * from './affiliates.ts'
export * from './attention.ts'
export * from './audited.ts'
export * from './campaigns.ts'
export * from './commissions.ts'
export * from './connector-providers.ts'
export * from './connectors.ts'
export * from './creatives.ts'
export * from './digests.ts'
export * from './explore.ts'
export * from './explore-dimensions.ts'
export * from './first-steps.ts'
export * from './join-forms.ts'
export * from './mail-server.ts'
export * from './mail-templates.ts'
export * from './mails.ts'
export * from './overview.ts'
export * from './payout-preview.ts'
export * from './payouts.ts'
export * from './permissions.ts'
export * from './person.ts'
export * from './portal.ts'
export * from './ranges.ts'
export * from './referrals.ts'
export * from './routes.ts'
export * from './schema.ts'
export * from './search.ts'
export * from './settings.ts'
export * from './signal-kinds.ts'
export * from './signals.ts'
export * from './sum.ts'
export * from './test-payouts.ts'
export * from './tracking.ts'
export * from './traffic.ts'
export * from './webhooks.ts'

/** The schemas of every call of the dashboard. */
export const dashboardSchemas = {
  ...overviewSchemas,
  ...exploreSchemas,
  ...signalsSchemas,
  ...firstStepsSchemas,
  ...searchSchemas,
  ...affiliatesSchemas,
  ...affiliateContactSchemas,
  ...campaignsSchemas,
  ...creativesSchemas,
  ...joinFormsSchemas,
  ...referralsSchemas,
  ...commissionsSchemas,
  ...payoutsSchemas,
  ...testPayoutsSchemas,
  ...webhooksSchemas,
  ...connectorsSchemas,
  ...settingsSchemas,
  ...mailServerSchemas,
  ...mailTemplatesSchemas,
  ...digestsSchemas,
  ...portalSettingsSchemas,
  ...trackingSchemas,
  ...trafficSchemas,
} satisfies { [Id in DashboardRouteId]: DashboardSchema }

type Schemas = typeof dashboardSchemas
type StaticOf<S> = S extends TSchema ? Static<S> : Record<string, never>

export type DashboardQuery<Id extends DashboardRouteId> = StaticOf<Schemas[Id]['query']>
export type DashboardBody<Id extends DashboardRouteId> = StaticOf<Schemas[Id]['body']>
export type DashboardResult<Id extends DashboardRouteId> = StaticOf<Schemas[Id]['result']>
