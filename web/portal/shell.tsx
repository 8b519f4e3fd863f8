import { ActionIcon } from '@mantine/core'
import { pages as texts } from '@tributary/contract/portal/texts'
import type { ReactNode } from 'react'
import { CommissionsIcon, OverviewIcon, PayoutsIcon, ReferralsIcon, SettingsIcon } from '../ui/icons.tsx'
import { Brand } from './shared/brand.tsx'
import { LinkIcon } from './shared/icons.tsx'
import { isAt } from './shared/paths.ts'
import { goOnClick, hrefOf } from './shared/router.tsx'

const tabs = [
  { to: '/', label: texts.nav.home, Icon: OverviewIcon },
  { to: '/links', label: texts.nav.links, Icon: LinkIcon },
  { to: '/referrals', label: texts.nav.referrals, Icon: ReferralsIcon },
  { to: '/commissions', label: texts.nav.commissions, Icon: CommissionsIcon },
  { to: '/payouts', label: texts.nav.payouts, Icon: PayoutsIcon },
]

export function Shell({
  page,
  isApproved,
  children,
}: {
  page: string
  isApproved: boolean
  children: ReactNode
}) {
  return (
    <>
      <a className="skip" href="#content">
        {texts.nav.skip}
      </a>
      <header className="head">
        <a className="plain-link" href={hrefOf('/')} onClick={goOnClick('/')} style={{ minWidth: 0 }}>
          <Brand />
        </a>
        <div style={{ flex: 1 }} />
        {isApproved && (
          <nav className="tabs" aria-label={texts.nav.main}>
            {tabs.map(({ to, label, Icon }) => (
              <a
                key={to}
                className="tab"
                href={hrefOf(to)}
                onClick={goOnClick(to)}
                aria-current={isAt(page, to) ? 'page' : undefined}
              >
                <Icon size={20} />
                {label}
              </a>
            ))}
          </nav>
        )}
        <ActionIcon
          component="a"
          href={hrefOf('/settings')}
          onClick={goOnClick('/settings')}
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={texts.nav.settings}
          aria-current={page === '/settings' ? 'page' : undefined}
        >
          <SettingsIcon />
        </ActionIcon>
      </header>
      <main className="content" id="content" tabIndex={-1}>
        {children}
      </main>
    </>
  )
}
