import { Badge, Grid, Group, Paper, Skeleton, Text, Title } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { CommissionDetail } from '@tributary/contract/dashboard'
import { Money, Status } from '../../ui/values.tsx'
import { useCall, useMay } from '../shared/account.tsx'
import { texts as sharedTexts } from '../shared/en.ts'
import { FactList } from '../shared/fact-list.tsx'
import { Copy, When } from '../shared/facts.tsx'
import { AffiliateLink, PageLink } from '../shared/named-links.tsx'
import { DecisionButtons, useReviewDialog } from '../shared/review-dialog.tsx'
import { ErrorNotice, PageHead } from '../shared/states.tsx'
import { commissionReview } from './commission-review.tsx'
import { CommissionTimeline } from './commission-timeline.tsx'
import { texts } from './en.ts'

const { fields, states } = sharedTexts

export function CommissionPage() {
  const { id } = useParams({ strict: false })
  const entry = useCall('getCommission', { id: Number(id) })
  if (entry.isPending) return <Skeleton height={320} role="status" aria-label={states.loading} />
  if (entry.isError) return <ErrorNotice error={entry.error} retry={() => void entry.refetch()} />
  return <CommissionShown entry={entry.data} />
}

/** Whether clawbacks have taken all of it: then nothing is left to void. */
const isTakenBack = ({ clawbacks, amount_minor }: CommissionDetail) =>
  clawbacks
    .filter(({ status }) => status !== 'void')
    .reduce((left, clawback) => left + clawback.amount_minor, amount_minor) === 0

function CommissionShown({ entry }: { entry: CommissionDetail }) {
  const mayMoveMoney = useMay('money')
  const { ask, dialog } = useReviewDialog(commissionReview)
  return (
    <>
      <PageHead
        title={texts.detail.title(entry.id)}
        note={
          <Group gap="xs">
            <Status value={entry.status} />
            {entry.is_test && (
              <Badge variant="outline" color="gray" tt="none">
                {states.testNeverPaid}
              </Badge>
            )}
            <span>
              {texts.types[entry.entry_type]},{' '}
              <AffiliateLink
                id={entry.affiliate_id}
                name={entry.affiliate_name}
                email={entry.affiliate_email}
                inline
              />
            </span>
          </Group>
        }
      >
        {mayMoveMoney && !isTakenBack(entry) && (
          <DecisionButtons kind={commissionReview} rows={[entry]} ask={ask} />
        )}
      </PageHead>
      {dialog}
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Paper withBorder p="md" component="section">
            <Title order={2} size="h4" mb="md">
              {texts.detail.timeline}
            </Title>
            <CommissionTimeline entry={entry} />
          </Paper>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Paper withBorder p="md" component="section">
            <Title order={2} size="h4" mb="sm">
              {texts.detail.summary}
            </Title>
            <Text size="xl" fw={650} mb="sm">
              <Money minor={entry.payout_amount_minor} currency={entry.payout_currency} />
            </Text>
            <CommissionFacts entry={entry} />
          </Paper>
        </Grid.Col>
      </Grid>
    </>
  )
}

function CommissionFacts({ entry }: { entry: CommissionDetail }) {
  return (
    <FactList
      facts={[
        [
          texts.detail.id,
          <Copy key="id" value={String(entry.id)} label={texts.detail.copyId}>
            {entry.id}
          </Copy>,
        ],
        ...(entry.currency === entry.payout_currency
          ? []
          : [
              [
                texts.detail.originalAmount,
                <Money key="amount" minor={entry.amount_minor} currency={entry.currency} />,
              ] as [string, React.ReactNode],
            ]),
        [
          fields.campaign,
          <PageLink key="campaign" to={`campaigns/${entry.campaign_id}`}>
            {entry.campaign_name}
          </PageLink>,
        ],
        [
          texts.detail.referral,
          entry.referral_id === null ? (
            states.none
          ) : (
            <PageLink key="referral" to={`referrals/${entry.referral_id}`}>
              {entry.customer_ref}
            </PageLink>
          ),
        ],
        [texts.detail.beneficiary, texts.beneficiaries[entry.beneficiary]],
        [fields.description, entry.description ?? states.none],
        [fields.created, <When key="created" time={entry.created_at} />],
      ]}
    />
  )
}
