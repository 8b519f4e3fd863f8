import { Center, Loader } from '@mantine/core'
import { pages as texts } from '@tributary/contract/portal/texts'
import { type ReactNode, Suspense } from 'react'
import { later } from '../ui/later.ts'
import { Application } from './access/application.tsx'
import { SignIn } from './access/sign-in.tsx'

import { joinAddress, referralAddress } from './addresses.ts'
import { Commissions } from './commissions/commissions.tsx'
import { Home } from './home/home.tsx'
import { Links } from './links/links.tsx'
import { Referrals } from './referrals/referrals.tsx'
import { useSession } from './shared/api.ts'
import { MeProvider } from './shared/me.tsx'
import { usePage } from './shared/router.tsx'
import { Loading, NotFound, Problem } from './shared/states.tsx'
import { Shell } from './shell.tsx'
import { ViewBanner } from './view-banner.tsx'

/** Loaded when they are opened: most visits don't. */
const Creatives = later(async () => (await import('./creatives/creatives.tsx')).Creatives)
const Campaigns = later(async () => (await import('./campaigns/campaigns.tsx')).Campaigns)
const Payouts = later(async () => (await import('./payouts/payouts.tsx')).Payouts)
const Referral = later(async () => (await import('./referrals/referral.tsx')).Referral)
const Join = later(async () => (await import('./access/join.tsx')).Join)
const Settings = later(async () => (await import('./settings/settings.tsx')).Settings)
const whenLoaded = (page: ReactNode) => <Suspense fallback={<Loading />}>{page}</Suspense>

/** The page at a path, for a signed-in affiliate. */
function pageOf(page: string, isApproved: boolean): ReactNode {
  if (page === '/settings') return whenLoaded(<Settings />)
  if (page === '/campaigns') return whenLoaded(<Campaigns />)
  if (!isApproved) return <Application />
  const referral = referralAddress(page)
  if (referral !== undefined) return whenLoaded(<Referral id={referral} key={referral} />)
  switch (page) {
    case '/':
      return <Home />
    case '/links':
      return <Links />
    case '/links/creatives':
      return whenLoaded(<Creatives />)
    case '/referrals':
      return <Referrals />
    case '/commissions':
      return <Commissions />
    case '/payouts':
      return whenLoaded(<Payouts />)
    default:
      return <NotFound />
  }
}

export function Portal() {
  const page = usePage()
  const join = joinAddress(page)
  if (join) return whenLoaded(<Join {...join} />)
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
