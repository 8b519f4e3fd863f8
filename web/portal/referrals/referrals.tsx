import { Text } from '@mantine/core'
import type { PortalReferral } from '@tributary/contract/portal'
import { pages } from '@tributary/contract/portal/texts'

import { sumsByCurrency } from '../../ui/sums.ts'
import { Money } from '../../ui/values.tsx'
import { PagesOf } from '../shared/pages-of.tsx'
import { goOnClick, hrefOf } from '../shared/router.tsx'
import { Row } from '../shared/row.tsx'
import { Empty, GoButton, PageHead } from '../shared/states.tsx'
import { StatusBadge } from '../shared/status.tsx'
import { customerLabel } from './customer-label.ts'

const texts = pages.referrals

export function Referrals() {
  return (
    <>
      <PageHead title={texts.title} text={texts.text} />
      <PagesOf
        route="listReferrals"
        empty={
          <Empty
            title={texts.none}
            text={texts.noneText}
            action={<GoButton to="/links">{pages.home.toLinks}</GoButton>}
          />
        }
      >
        {referral => (
          <a
            className="plain-link"
            href={hrefOf(`/referrals/${referral.id}`)}
            onClick={goOnClick(`/referrals/${referral.id}`)}
          >
            <Row
              title={<span className="to-follow">{customerLabel(referral.customer, referral.id)}</span>}
              amount={<Earned earned={referral.earned} />}
              about={[referral.campaign_name]}
              time={referral.occurred_at}
              status={<StatusBadge value={referral.status} />}
            />
          </a>
        )}
      </PagesOf>
    </>
  )
}

function Earned({ earned }: Pick<PortalReferral, 'earned'>) {
  if (earned.length === 0)
    return (
      <Text span size="sm" fw={400} c="dimmed">
        {texts.noEarnings}
      </Text>
    )
  return sumsByCurrency(earned).map(([currency, minor]) => (
    <div key={currency}>
      <Money minor={minor} currency={currency} />
    </div>
  ))
}
