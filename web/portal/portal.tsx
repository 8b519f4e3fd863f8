import { Center, Loader } from '@mantine/core'
import { pages as texts } from '@tributary/contract/portal/texts'
import { lazy, type ReactNode, Suspense } from 'react'
import { Application } from './access/application.tsx'
import { Join } from './access/join.tsx'
import { SignIn } from './access/sign-in.tsx'

import { joinAddress, referralAddress } from './addresses.ts'
import { Campaigns } from './campaigns/campaigns.tsx'
import { Commissions } from './commissions/commissions.tsx'
import { Home } from './home/home.tsx'
import { Links } from './links/links.tsx'
import { Payouts } from './payouts/payouts.tsx'
import { Referral } from './referrals/referral.tsx'
import { Referrals } from './referrals/referrals.tsx'
import { Settings } from './settings/settings.tsx'
import { useSession } from './shared/api.ts'
import { MeProvider } from './shared/me.tsx'
import { usePage } from './shared/router.tsx'
import { Loading, NotFound, Problem } from './shared/states.tsx'
import { Shell } from './shell.tsx'
import { ViewBanner } from './view-banner.tsx'

/** Loaded when it is opened: most visits don't. */
const Creatives = lazy(() =>
  import('./creatives/creatives.tsx').then(module => ({ default: module.Creatives })),
)

/** The page at a path, for a signed-in affiliate. */
function pageOf(page: string, isApproved: boolean): ReactNode {
  if (page === '/settings') return <Settings />
  if (page === '/campaigns') return <Campaigns />
  if (!isApproved) return <Application />
  const referral = referralAddress(page)
  if (referral !== undefined) return <Referral id={referral} key={referral} />
  switch (page) {
    case '/':
      return <Home />
    case '/links':
      return <Links />
    case '/links/creatives':
      return (
        <Suspense fallback={<Loading />}>
          <Creatives />
        </Suspense>
      )
    case '/referrals':
      return <Referrals />
    case '/commissions':
      return <Commissions />
    case '/payouts':
      return <Payouts />
    default:
      return <NotFound />
  }
}

export function Portal() {
  const page = usePage()
  const join = joinAddress(page)
  if (join) return <Join {...join} />
  if (page === '/sign-in') return <SignIn />
  return <OwnPages page={page} />
}

function OwnPages({ page }: { page: string }) {
  const { data: me, error, refetch } = useSession()
  if (me === null) return <SignIn />
  if (error && !me) return <Problem error={error} retry={refetch} />
  if (!me)
    return (
      <Center h="60vh">
        <Loader role="status" aria-label={texts.common.loading} />
      </Center>
    )
  const isApproved = me.status === 'approved'
  return (
    <MeProvider value={me}>
      {me.view && <ViewBanner view={me.view} />}
      <Shell page={page} isApproved={isApproved}>
        {pageOf(page, isApproved)}
      </Shell>
    </MeProvider>
  )
}
