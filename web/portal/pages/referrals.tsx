import { Group, Text } from '@mantine/core'
import { pages } from '@tributary/contract/portal/texts'
import { shortDate } from '../../ui/format.ts'
import { Money } from '../../ui/values.tsx'
import { PagesOf } from '../parts/pages-of.tsx'
import { Card, Empty, GoButton, PageHead } from '../parts/states.tsx'
import { StatusBadge } from '../parts/status.tsx'
import { goOnClick, hrefOf } from '../router.tsx'

const texts = pages.referrals

export function Referrals() {
  return (
    <>
      <PageHead title={texts.title} text={texts.text} />
      <Card>
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
              <Group justify="space-between" wrap="nowrap" align="flex-start">
                <div style={{ minWidth: 0 }}>
                  <Text fw={600} truncate>
                    {referral.customer ?? pages.common.aCustomer}
                  </Text>
                  <Text size="sm" c="dimmed">
                    {referral.campaign_name} · {shortDate(referral.occurred_at)}
                  </Text>
                </div>
                <div style={{ textAlign: 'right', flexShrink: 0 }}>
                  {referral.earned.length === 0 ? (
                    <Text size="sm" c="dimmed">
                      {texts.nothingYet}
                    </Text>
                  ) : (
                    sums(referral.earned).map(([currency, minor]) => (
                      <Text key={currency} fw={600} className="number">
                        <Money minor={minor} currency={currency} />
                      </Text>
                    ))
                  )}
                  {referral.status !== 'approved' && <StatusBadge value={referral.status} />}
                </div>
              </Group>
            </a>
          )}
        </PagesOf>
      </Card>
    </>
  )
}

/** By currency, whatever the status. */
function sums(earned: { currency: string; amount_minor: number }[]): [string, number][] {
  const found = new Map<string, number>()
  for (const { currency, amount_minor } of earned)
    found.set(currency, (found.get(currency) ?? 0) + amount_minor)
  return [...found]
}
