import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { ApiError, personCall } from './shared/api.ts'
import { sessionQuery } from './shared/session-query.ts'
import { NoAccount, NotFound, PageError } from './shell/page-error.tsx'
import { Shell } from './shell/shell.tsx'

const root = createRootRouteWithContext<{ queries: QueryClient }>()({
  component: Outlet,
  notFoundComponent: NotFound,
  errorComponent: PageError as never,
})

/** The pages that need nobody to be signed in. */
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/signin',
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

/** Where to go without an address: the set-up, the sign-in, or the first account. */
const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: NoAccount,
  beforeLoad: async ({ context }) => {
    const session = await sessionOrSignIn(context.queries, '/')
    const first = session.accounts[0]
    if (first) throw redirect({ to: `/${first.slug}/overview` })
  },
})

async function sessionOrSignIn(queries: QueryClient, from: string) {
  try {
    return await queries.ensureQueryData(sessionQuery)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error
    const { needed } = await personCall<{ needed: boolean }>('GET', 'setup')
    throw redirect(
      needed ? { to: '/setup' } : { to: '/signin', search: from === '/' ? {} : ({ from } as never) },
    )
  }
}

const account = createRoute({
  getParentRoute: () => root,
  path: '/$account',
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    await sessionOrSignIn(context.queries, location.href)
  },
})

/** A page of the account, fetched when it is first opened. */
const page = <const Path extends string>(
  path: Path,
  load: () => Promise<Record<string, unknown>>,
  name: string,
) =>
  createRoute({
    getParentRoute: () => account,
    path,
    component: lazyRouteComponent(load as never, name as never),
  })

const pages = [
  page('/overview', () => import('./overview/overview.tsx'), 'Overview'),
  page('/affiliates', () => import('./affiliates/affiliates.tsx'), 'Affiliates'),
  page('/affiliates/import', () => import('./affiliates/affiliate-import.tsx'), 'AffiliateImport'),
  page('/affiliates/$id', () => import('./affiliates/affiliate.tsx'), 'AffiliatePage'),
  page('/campaigns', () => import('./campaigns/campaigns.tsx'), 'Campaigns'),
  page('/campaigns/new', () => import('./campaigns/campaign.tsx'), 'NewCampaign'),
  page('/campaigns/$id', () => import('./campaigns/campaign.tsx'), 'CampaignPage'),
  page('/referrals', () => import('./referrals/referrals.tsx'), 'Referrals'),
  page('/referrals/$id', () => import('./referrals/referral.tsx'), 'ReferralPage'),
  page('/commissions', () => import('./commissions/commissions.tsx'), 'Commissions'),
  page('/commissions/$id', () => import('./commissions/commission.tsx'), 'CommissionPage'),
  page('/payouts', () => import('./payouts/payouts.tsx'), 'Payouts'),
  page('/payouts/new', () => import('./payouts/payout-new.tsx'), 'NewPayout'),
  page('/payouts/$id', () => import('./payouts/payout.tsx'), 'PayoutPage'),
  page('/webhooks', () => import('./webhooks/webhooks.tsx'), 'Webhooks'),
  page('/webhooks/deliveries/$id', () => import('./webhooks/delivery.tsx'), 'DeliveryPage'),
  page('/settings', () => import('./settings/settings.tsx'), 'Settings'),
  page('/settings/$section', () => import('./settings/settings.tsx'), 'Settings'),
  page('/audit-log', () => import('./audit/audit-log.tsx'), 'AuditLog'),
]

const accountHome = createRoute({
  getParentRoute: () => account,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: `/${params.account}/overview` })
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
    // Plain texts, as people write them into an address.
    parseSearch: text => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: search => {
      const text = new URLSearchParams(
        Object.entries(search)
          .filter(([, value]) => value !== undefined)
          .map(([name, value]) => [name, String(value)]),
      ).toString()
      return text ? `?${text}` : ''
    },
  })
}
