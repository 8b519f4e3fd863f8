import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { affiliatesSearch } from './affiliates/affiliates.search.ts'
import { auditSearch } from './audit/audit.search.ts'
import { connectorSearch } from './billing/billing.search.ts'
import { campaignsSearch, newCampaignSearch } from './campaigns/campaigns.search.ts'
import { commissionsSearch } from './commissions/commissions.search.ts'
import { cohortsSearch, exploreSearch, rowsSearch } from './explore/explore.search.ts'
import { overviewSearch } from './overview/overview.search.ts'
import { newPayoutSearch, payoutSearch, payoutsSearch } from './payouts/payouts.search.ts'
import { referralsSearch } from './referrals/referrals.search.ts'
import { settingsSearch } from './settings/settings.search.ts'
import { isSignedOut, personCall } from './shared/api.ts'
import { oneOf, parseSearch, searchOf, stringifySearch, text } from './shared/search.ts'
import { sessionQuery } from './shared/session-query.ts'
import { NoAccount, NotFound, PageError } from './shell/page-error.tsx'
import { Shell } from './shell/shell.tsx'
import { signalsSearch } from './signals/signals.search.ts'
import { webhooksSearch } from './webhooks/webhooks.search.ts'

const root = createRootRouteWithContext<{ queries: QueryClient }>()({
  component: Outlet,
  notFoundComponent: NotFound,
  errorComponent: PageError,
})

// Declared apart from their routes, so that their types are inferred.
const signInSearch = searchOf({ from: text })
const accountSearch = searchOf({ order: oneOf(['oldest']) })

/** The pages that need no session. */
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/signin',
  validateSearch: signInSearch,
  component: lazyRouteComponent(() => import('./access/sign-in.tsx'), 'SignIn'),
})
const setUp = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  component: lazyRouteComponent(() => import('./access/set-up.tsx'), 'SetUp'),
})
const forgot = createRoute({
  getParentRoute: () => root,
  path: '/forgot',
  component: lazyRouteComponent(() => import('./access/password.tsx'), 'Forgot'),
})
const reset = createRoute({
  getParentRoute: () => root,
  path: '/reset',
  component: lazyRouteComponent(() => import('./access/password.tsx'), 'Reset'),
})
const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  component: lazyRouteComponent(() => import('./access/invitation.tsx'), 'AcceptInvitation'),
})

/** The root redirects: to setup, to sign-in, or to the first account. */
const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: NoAccount,
  beforeLoad: async ({ context }) => {
    const session = await sessionOrSignIn(context.queries, '/')
    const first = session.accounts[0]
    if (first) throw redirect({ to: '/$account/overview', params: { account: first.slug } })
  },
})

async function sessionOrSignIn(queries: QueryClient, from: string) {
  try {
    return await queries.ensureQueryData(sessionQuery)
  } catch (error) {
    if (!isSignedOut(error)) throw error
    queries.removeQueries()
    const { needed } = await personCall<{ needed: boolean }>('GET', 'setup')
    if (needed) throw redirect({ to: '/setup' })
    throw redirect({ to: '/signin', search: from === '/' ? {} : { from } })
  }
}

const account = createRoute({
  getParentRoute: () => root,
  path: '/$account',
  // The sort order, which every list below shares.
  validateSearch: accountSearch,
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    // With the base path, as the address bar has it: sign-in leads to no other address.
    await sessionOrSignIn(context.queries, location.publicHref)
  },
})

/** A page of the account, loaded when it is first opened. */
const page = <const Path extends string, Name extends string, Search extends object = Record<never, never>>(
  path: Path,
  // The export's type is left unknown: a page uses its own search type, so the route types would be circular.
  load: () => Promise<Record<Name, unknown>>,
  name: Name,
  validateSearch?: (search: Record<string, unknown>) => Search,
) =>
  createRoute({
    getParentRoute: () => account,
    path,
    component: lazyRouteComponent(load as () => Promise<Record<string, () => ReactNode>>, name),
    validateSearch,
  })

const pages = [
  page('/overview', () => import('./overview/overview.tsx'), 'Overview', overviewSearch),
  page('/explore', () => import('./explore/explore.tsx'), 'Explore', exploreSearch),
  page('/explore/cohorts', () => import('./explore/cohorts.tsx'), 'CohortsPage', cohortsSearch),
  page('/explore/sales', () => import('./explore/sales.tsx'), 'Sales', rowsSearch),
  page('/explore/clicks', () => import('./explore/clicks.tsx'), 'Clicks', rowsSearch),
  page('/affiliates', () => import('./affiliates/affiliates.tsx'), 'Affiliates', affiliatesSearch),
  page('/affiliates/import', () => import('./affiliates/affiliate-import.tsx'), 'AffiliateImport'),
  page('/affiliates/$id', () => import('./affiliates/affiliate.tsx'), 'AffiliatePage'),
  page('/campaigns', () => import('./campaigns/campaigns.tsx'), 'Campaigns', campaignsSearch),
  page('/campaigns/new', () => import('./campaigns/campaign.tsx'), 'NewCampaign', newCampaignSearch),
  page('/campaigns/$id', () => import('./campaigns/campaign.tsx'), 'CampaignPage'),
  page('/creatives', () => import('./creatives/creatives.tsx'), 'Creatives'),
  page('/referrals', () => import('./referrals/referrals.tsx'), 'Referrals', referralsSearch),
  page('/referrals/$id', () => import('./referrals/referral.tsx'), 'ReferralPage'),
  page('/signals', () => import('./signals/signals.tsx'), 'Signals', signalsSearch),
  page('/commissions', () => import('./commissions/commissions.tsx'), 'Commissions', commissionsSearch),
  page('/commissions/$id', () => import('./commissions/commission.tsx'), 'CommissionPage'),
  page('/payouts', () => import('./payouts/payouts.tsx'), 'Payouts', payoutsSearch),
  page('/payouts/new', () => import('./payouts/payout-new.tsx'), 'NewPayout', newPayoutSearch),
  page('/payouts/$id', () => import('./payouts/payout.tsx'), 'PayoutPage', payoutSearch),
  page('/webhooks', () => import('./webhooks/webhooks.tsx'), 'Webhooks', webhooksSearch),
  page('/webhooks/deliveries/$id', () => import('./webhooks/delivery.tsx'), 'DeliveryPage'),
  page('/billing', () => import('./billing/billing.tsx'), 'Billing'),
  page('/billing/$id', () => import('./billing/connector.tsx'), 'ConnectorPage', connectorSearch),
  page('/settings', () => import('./settings/settings.tsx'), 'Settings'),
  page('/settings/$section', () => import('./settings/settings.tsx'), 'Settings', settingsSearch),
  page('/audit-log', () => import('./audit/audit-log.tsx'), 'AuditLog', auditSearch),
] as const

const accountHome = createRoute({
  getParentRoute: () => account,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/$account/overview', params })
  },
})

const tree = root.addChildren([
  home,
  signIn,
  setUp,
  forgot,
  reset,
  invitation,
  account.addChildren([accountHome, ...pages]),
])

export function makeRouter(queries: QueryClient) {
  return createRouter({
    routeTree: tree,
    basepath: '/dashboard',
    context: { queries },
    defaultPreload: 'intent',
    scrollRestoration: true,
    // Another row or account starts with new state: a dialog or a draft must not pass from one affiliate to the next. The sections of
    // the settings keep theirs, so that the focus stays in their menu.
    defaultRemountDeps: ({ params }) => ({ ...params, section: undefined }),
    parseSearch,
    stringifySearch,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>
  }
}
