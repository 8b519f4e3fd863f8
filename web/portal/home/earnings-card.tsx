import { Anchor, Group, Stack, Text, Title } from '@mantine/core'
import type { Earnings } from '@tributary/contract/portal'
import { LISTED_HOLD_DAYS } from '@tributary/contract/portal/holds'
import { pages } from '@tributary/contract/portal/texts'
import { type ReactNode, useState } from 'react'
import { calendarDay, money } from '../../ui/format.ts'
import { Money } from '../../ui/values.tsx'
import { useMe } from '../shared/me.tsx'
import { relativeDay } from '../shared/relative-day.ts'
import { PageLink } from '../shared/router.tsx'
import { Card } from '../shared/states.tsx'

const texts = pages.home

const Metric = ({ label, minor, currency }: { label: string; minor: number; currency: string }) => (
  <div className="metric">
    <Text size="sm" c="dimmed">
      {label}
    </Text>
    <Text fw={650} size="lg" className="number">
      <Money minor={minor} currency={currency} />
    </Text>
  </div>
)

/** One campaign's earnings: the total, its parts, and why a part is not paid yet. */
export function EarningsCard({ earnings, isOnlyOne }: { earnings: Earnings; isOnlyOne: boolean }) {
  const { currency } = earnings
  return (
    <Card>
      <Stack gap="sm">
        {!isOnlyOne && (
          <Title order={2} size="h4">
            {earnings.campaign_name}
          </Title>
        )}
        <div>
          <Text size="sm" c="dimmed">
            {texts.earned}
          </Text>
          <Text fz={{ base: 26, sm: 32 }} fw={700} lh={1.2} className="number">
            {money(earnings.earned_minor, currency)}
          </Text>
        </div>
        <Group gap="xs" align="flex-start">
          <Metric label={texts.pending} minor={earnings.pending_minor} currency={currency} />
          <Metric
            label={earnings.approved_minor < 0 ? texts.negative : texts.approved}
            minor={earnings.approved_minor}
            currency={currency}
          />
          {earnings.in_payout_minor !== 0 && (
            <Metric label={texts.inPayout} minor={earnings.in_payout_minor} currency={currency} />
          )}
          <Metric label={texts.paid} minor={earnings.paid_minor} currency={currency} />
          {earnings.credit_minor !== 0 && (
            <Metric label={texts.credit} minor={earnings.credit_minor} currency={currency} />
          )}
        </Group>
        <WhyPending earnings={earnings} />
        <WhyNotPaid earnings={earnings} />
      </Stack>
    </Card>
  )
}

const Line = ({ minor, currency, children }: { minor: number; currency: string; children: ReactNode }) => (
  <li>
    <Text size="sm">
      <strong className="number">{money(minor, currency)}</strong> {children}
    </Text>
  </li>
)

/** The next clearing dates; the rest are behind a "Show more" link. */
const SHOWN_HOLDS = 4

function WhyPending({ earnings }: { earnings: Earnings }) {
  const { holds, in_review_minor: inReview, currency } = earnings
  const { time_zone: zone } = useMe()
  const [isWhole, setIsWhole] = useState(false)
  const isLong = holds.length > SHOWN_HOLDS + 1
  const textOf = ({ day, until, count }: Earnings['holds'][number], index: number) =>
    (index < LISTED_HOLD_DAYS ? texts.clearsOn : texts.clearsBy)(
      calendarDay(day),
      relativeDay(until, zone),
      count,
    )
  if (holds.length === 0 && inReview === 0) return null
  return (
    <div>
      <Text size="sm" fw={600}>
        {texts.whyPending}
      </Text>
      <ul style={{ margin: '4px 0', paddingLeft: 20 }}>
        {(isLong && !isWhole ? holds.slice(0, SHOWN_HOLDS) : holds).map((hold, index) => (
          <Line key={hold.until} minor={hold.amount_minor} currency={currency}>
            {textOf(hold, index)}
          </Line>
        ))}
        {inReview !== 0 && (
          <Line minor={inReview} currency={currency}>
            {texts.inReview}
          </Line>
        )}
      </ul>
      {isLong && !isWhole && (
        <Anchor component="button" type="button" size="sm" mb={4} onClick={() => setIsWhole(true)}>
          {texts.moreHolds(holds.length - SHOWN_HOLDS)}
        </Anchor>
      )}
      {holds.length > 0 && earnings.hold_days > 0 && (
        <Text size="sm" c="dimmed">
          {texts.hold(earnings.hold_days)}
        </Text>
      )}
    </div>
  )
}

/** Why approved commissions are not paid yet. */
function WhyNotPaid({ earnings }: { earnings: Earnings }) {
  const { paypal_email } = useMe()
  const { approved_minor: approved, minimum_payout_minor: minimum, currency } = earnings
  if (approved === 0) return null
  if (approved < 0)
    return (
      <Text size="sm" c="dimmed">
        {texts.negativeText}
      </Text>
    )
  if (approved < minimum)
    return (
      <Text size="sm" c="dimmed">
        {texts.belowMinimum(money(minimum - approved, currency), money(minimum, currency))}
      </Text>
    )
  if (paypal_email === null)
    return (
      <Text size="sm">
        {texts.noAddress}{' '}
        <PageLink to="/settings" underline="always" inherit>
          {texts.toSettings}
        </PageLink>
      </Text>
    )
  return (
    <Text size="sm" c="dimmed">
      {texts.next(money(approved, currency))}
    </Text>
  )
}
