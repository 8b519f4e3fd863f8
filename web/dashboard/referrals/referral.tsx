import { Alert, Badge, Grid, Group, List, Skeleton, Stack, Title } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import type { ReferralDetail } from '@tributary/contract/dashboard'
import { words } from '../../ui/format.ts'
import { Money, Status } from '../../ui/values.tsx'
import { AttributionExplained } from '../attribution/attribution-explained.tsx'
import { ownCommissionColumns } from '../commissions/commission-columns.tsx'
import { useCall, useMay, usePath } from '../shared/account.tsx'
import { DataTable } from '../shared/data-table.tsx'
import { FactList } from '../shared/fact-list.tsx'
import { Copy, When } from '../shared/facts.tsx'
import { AffiliateLink, PageLink, Sums } from '../shared/named-links.tsx'
import { DecisionButtons, useReviewDialog } from '../shared/review-dialog.tsx'
import { Section } from '../shared/section.tsx'
import { EmptyState, ErrorNotice, PageHead } from '../shared/states.tsx'
import { referralReview } from './referral-review.tsx'
import { ReferralSales } from './referral-sales.tsx'

export function ReferralPage() {
  const { id } = useParams({ strict: false })
  const referral = useCall('getReferral', { id: Number(id) })
  if (referral.isPending) return <Skeleton height={320} aria-label="Loading" />
  if (referral.isError) return <ErrorNotice error={referral.error} retry={() => void referral.refetch()} />
  return <ReferralShown referral={referral.data} />
}

function ReferralShown({ referral }: { referral: ReferralDetail }) {
  const mayDecide = useMay('programme')
  const { ask, dialog } = useReviewDialog(referralReview)
  const credited = referral.affiliate_name ?? referral.affiliate_email
  return (
    <>
      <PageHead
        title={`Referral of ${referral.customer_ref}`}
        note={
          <Group gap="xs">
            <Status value={referral.status} />
            {referral.is_test && (
              <Badge variant="outline" color="gray" tt="none">
                Test, never paid
              </Badge>
            )}
            <span>
              credited to{' '}
              <AffiliateLink
                id={referral.affiliate_id}
                name={referral.affiliate_name}
                email={referral.affiliate_email}
                inline
              />
            </span>
          </Group>
        }
      >
        {mayDecide && referral.status !== 'rejected' && (
          <DecisionButtons kind={referralReview} rows={[referral]} ask={ask} />
        )}
      </PageHead>
      {dialog}
      <Flags referral={referral} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Section title={`Why ${credited} gets the credit`}>
            {referral.explanation ? (
              <AttributionExplained
                explanation={referral.explanation}
                clicks={referral.clicks}
                occurredAt={referral.occurred_at}
              />
            ) : (
              'How this was decided is not on record.'
            )}
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Section title="At a glance">
            <ReferralFacts referral={referral} />
          </Section>
        </Grid.Col>
      </Grid>
      <Stack mt="lg" gap="lg">
        <section aria-labelledby="sales">
          <Title order={2} size="h4" mb="xs" id="sales">
            Sales and refunds
          </Title>
          <ReferralSales referral={referral} />
        </section>
        <section aria-labelledby="commissions">
          <Title order={2} size="h4" mb="xs" id="commissions">
            Commissions
          </Title>
          <ReferralCommissions id={referral.id} />
        </section>
      </Stack>
    </>
  )
}

/** Why it was held back for a person, whether or not somebody has decided since. */
function Flags({ referral: { flags, status } }: { referral: ReferralDetail }) {
  if (flags.length === 0) return null
  const isOpen = status === 'pending_review'
  return (
    <Alert
      mb="md"
      variant="light"
      color={isOpen ? 'yellow' : 'gray'}
      title={isOpen ? 'Waits for your review' : 'Was held for review'}
    >
      <List size="sm">
        {flags.map(flag => (
          <List.Item key={flag}>{words(flag)}</List.Item>
        ))}
      </List>
      {isOpen && 'Until somebody decides, its commissions stay pending and nothing of it is paid.'}
    </Alert>
  )
}

function ReferralFacts({ referral }: { referral: ReferralDetail }) {
  return (
    <FactList
      facts={[
        [
          'Referral',
          <Copy key="id" value={String(referral.id)} label="Copy the referral’s id">
            {referral.id}
          </Copy>,
        ],
        [
          'Customer',
          <Copy key="customer" value={referral.customer_ref} label="Copy the customer">
            {referral.customer_ref}
          </Copy>,
        ],
        ['Subscription', referral.subscription_ref ?? '–'],
        [
          'Campaign',
          <PageLink key="campaign" to={`campaigns/${referral.campaign_id}`}>
            {referral.campaign_name}
          </PageLink>,
        ],
        ['Converted', <When key="converted" time={referral.occurred_at} />],
        ['Reported', <When key="reported" time={referral.created_at} />],
        ['Revenue', <Sums key="revenue" sums={referral.revenue} none="none yet" />],
        [
          'Commission',
          referral.commissions.length === 0
            ? 'none yet'
            : referral.commissions.map(({ status, currency, amount_minor }) => (
                <div key={`${status}${currency}`}>
                  <Money minor={amount_minor} currency={currency} /> {status}
                </div>
              )),
        ],
      ]}
    />
  )
}

function ReferralCommissions({ id }: { id: number }) {
  const path = usePath()
  const navigate = useNavigate()
  return (
    <DataTable
      route="listCommissions"
      label="Commissions of this referral"
      query={{ referral_id: id }}
      columns={ownCommissionColumns}
      onRow={row => void navigate({ to: path(`commissions/${row.id}`) })}
      empty={
        <EmptyState title="No commission yet">
          A commission appears when a sale of this customer is reported and a rule of the campaign rewards it.
        </EmptyState>
      }
    />
  )
}
