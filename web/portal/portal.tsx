import { Center, Loader } from '@mantine/core'
import { pages as texts } from '@tributary/contract/portal/texts'
import type { ReactNode } from 'react'
import { useWhoever } from './api.ts'
import { MeProvider } from './me.tsx'
import { Campaigns } from './pages/campaigns.tsx'
import { Commissions } from './pages/commissions.tsx'
import { Home } from './pages/home.tsx'
import { Join } from './pages/join.tsx'
import { Links } from './pages/links.tsx'
import { Payouts } from './pages/payouts.tsx'
import { Referral } from './pages/referral.tsx'
import { Referrals } from './pages/referrals.tsx'
import { Settings } from './pages/settings.tsx'
import { SignIn } from './pages/sign-in.tsx'
import { Waiting } from './pages/waiting.tsx'
import { Missing, Problem } from './parts/states.tsx'
import { usePage } from './router.tsx'
import { Shell } from './shell.tsx'

/** What an address shows to an affiliate who is signed in. */
function pageOf(page: string, isApproved: boolean): ReactNode {
  if (page === '/settings') return <Settings />
  if (page === '/campaigns') return <Campaigns />
  if (!isApproved) return <Waiting />
  const referral = /^\/referrals\/([1-9]\d{0,14})$/.exec(page)?.[1]
  if (referral) return <Referral id={Number(referral)} key={referral} />
  switch (page) {
    case '/':
      return <Home />
    case '/links':
      return <Links />
    case '/referrals':
      return <Referrals />
    case '/commissions':
      return <Commissions />
    case '/payouts':
      return <Payouts />
    default:
      return <Missing />
  }
}

export function Portal() {
  const page = usePage()
  const join = /^\/join(?:\/([a-z0-9-]+)(?:\/[\w-]+)?)?$/.exec(page)
  if (join) return <Join campaignSlug={join[1]} />
  if (page === '/sign-in') return <SignIn />
  return <OwnPages page={page} />
}

function OwnPages({ page }: { page: string }) {
  const { data: me, error, refetch } = useWhoever()
  if (me === null) return <SignIn />
  if (error && !me) return <Problem error={error} retry={refetch} />
  if (!me)
    return (
      <Center h="60vh">
        <Loader aria-label={texts.common.loading} />
      </Center>
    )
  const isApproved = me.status === 'approved'
  return (
    <MeProvider value={me}>
      <Shell page={page} isApproved={isApproved}>
        {pageOf(page, isApproved)}
      </Shell>
    </MeProvider>
  )
}
