import { Alert, Group, Stack, Text, Title } from '@mantine/core'
import type { PortalCandidate, PortalReferralDetail } from '@tributary/contract/portal'
import { pages } from '@tributary/contract/portal/texts'
import { dateAndTime, shortDate } from '../../ui/format.ts'
import { CommissionRow } from '../commissions/commission-row.tsx'
import { useCall } from '../shared/api.ts'
import { useMe } from '../shared/me.tsx'
import { PageLink } from '../shared/router.tsx'
import { Card, Loaded, PageHead } from '../shared/states.tsx'
import { StatusBadge } from '../shared/status.tsx'
import { customerLabel } from './customer-label.ts'

const texts = pages.referrals

/** One customer: why they are credited to the affiliate, and the commissions they earned. */
export function Referral({ id }: { id: number }) {
  const referral = useCall('getReferral', { id })
  const { time_zone: zone } = useMe()
  return (
    <>
      <PageLink to="/referrals" size="sm">
        {texts.back}
      </PageLink>
      <Loaded query={referral}>
        {data => (
          <>
            <PageHead
              title={customerLabel(data.customer, data.id)}
              text={`${data.campaign_name} · ${shortDate(data.occurred_at, zone)} · ${pages.status[data.status]}`}
            />
            <Stack>
              {data.status === 'pending_review' && <Alert color="yellow">{texts.inReview}</Alert>}
              {data.status === 'rejected' && (
                <Alert color="red">
                  {texts.rejected}
                  {data.rejection_reason && <div>{texts.rejectedBecause(data.rejection_reason)}</div>}
                </Alert>
              )}
              <Explanation referral={data} />
              <Card>
                <Title order={2} size="h4" mb="xs">
                  {texts.earned}
                </Title>
                {data.commissions.length === 0 ? (
                  <Text c="dimmed">{texts.noEarnings}</Text>
                ) : (
                  <ul className="rows">
                    {data.commissions.map(commission => (
                      <li key={commission.id}>
                        <CommissionRow commission={commission} isBelowReferral />
                      </li>
                    ))}
                  </ul>
                )}
              </Card>
            </Stack>
          </>
        )}
      </Loaded>
    </>
  )
}

const rank = { won: 0, lost: 1, dropped: 2 }
const statusOf = { won: 'approved', lost: 'void', dropped: 'void' } as const

function Explanation({ referral }: { referral: PortalReferralDetail }) {
  const candidates = [...referral.candidates].sort((a, b) => rank[a.outcome] - rank[b.outcome])
  return (
    <Card>
      <Title order={2} size="h4">
        {texts.why}
      </Title>
      {referral.is_credited_manually && <Text fw={600}>{texts.manually}</Text>}
      <Text size="sm" c="dimmed" mb="sm">
        {texts.rule[referral.model]} {texts.window(referral.window_days)} {texts.coupon}
      </Text>
      <ol className="rows">
        {candidates.map((candidate, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an attribution never changes.
          <li key={index}>
            <Candidate candidate={candidate} />
          </li>
        ))}
      </ol>
    </Card>
  )
}

function Candidate({ candidate }: { candidate: PortalCandidate }) {
  const { source, is_mine: isMine, outcome, clicked_at: clickedAt, why, reason } = candidate
  const { time_zone: zone } = useMe()
  const label = (isMine ? texts.mine : texts.others)[source]
  const explained = why ? texts.reason(why) : (reason ?? (outcome === 'dropped' ? texts.dropped : texts.lost))
  return (
    <Group justify="space-between" wrap="nowrap" align="flex-start">
      <div style={{ minWidth: 0 }}>
        <Text fw={600} size="sm">
          {label}
          {clickedAt && `, ${dateAndTime(clickedAt, zone)}`}
        </Text>
        <Text size="sm" c="dimmed">
          {explained.charAt(0).toUpperCase() + explained.slice(1)}
        </Text>
      </div>
      <OutcomeBadge outcome={outcome} />
    </Group>
  )
}

const OutcomeBadge = ({ outcome }: Pick<PortalCandidate, 'outcome'>) => (
  <StatusBadge value={statusOf[outcome]} label={texts.outcome[outcome]} />
)
