import { Alert, Badge, Button, Grid, Group, List, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import type { ReferralDetail } from '@tributary/contract/dashboard'
import { type ReactNode, useState } from 'react'
import { Breakable } from '../../ui/breakable.tsx'
import { Money, Status } from '../../ui/values.tsx'
import { AttributionExplained } from '../attribution/attribution-explained.tsx'
import { flagText } from '../attribution/attribution-text.ts'
import { ownCommissionColumns } from '../commissions/commission-columns.tsx'
import { texts as commissionTexts } from '../commissions/en.ts'
import { useCall, useMay, usePath } from '../shared/account.tsx'
import { DataTable } from '../shared/data-table.tsx'
import { texts as sharedTexts } from '../shared/en.ts'
import { FactList } from '../shared/fact-list.tsx'
import { Copy, When } from '../shared/facts.tsx'
import { AffiliateLink, PageLink, Sums } from '../shared/named-links.tsx'
import { DecisionButtons, useReviewDialog } from '../shared/review-dialog.tsx'
import { Section } from '../shared/section.tsx'
import { EmptyState, ErrorNotice, PageHead } from '../shared/states.tsx'
import { texts as areaTexts } from './en.ts'
import { ReassignReferral } from './reassign-referral.tsx'
import { RecordSale } from './record-sale.tsx'
import { referralReview } from './referral-review.tsx'
import { ReferralSales } from './referral-sales.tsx'

const texts = areaTexts.detail
const { fields, states } = sharedTexts

export function ReferralPage() {
  const { id } = useParams({ strict: false })
  const referral = useCall('getReferral', { id: Number(id) })
  if (referral.isPending) return <Skeleton height={320} role="status" aria-label={states.loading} />
  if (referral.isError) return <ErrorNotice error={referral.error} retry={() => void referral.refetch()} />
  return <ReferralShown referral={referral.data} />
}

function ReferralShown({ referral }: { referral: ReferralDetail }) {
  const mayDecide = useMay('programme')
  const mayRecord = useMay('money')
  const [isRecording, setRecording] = useState(false)
  const [isReassigning, setReassigning] = useState(false)
  const { ask, dialog } = useReviewDialog(referralReview)
  return (
    <>
      <PageHead
        title={texts.title(referral.customer_ref)}
        note={
          <Group gap="xs">
            <Status value={referral.status} />
            {referral.is_test && (
              <Badge variant="outline" color="gray" tt="none">
                {states.testNeverPaid}
              </Badge>
            )}
            <span>
              {texts.attributedTo}{' '}
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
        {mayRecord && (
          <Button variant="default" onClick={() => setRecording(true)}>
            {areaTexts.recordSale.action}
          </Button>
        )}
        {mayDecide && referral.status !== 'rejected' && (
          <Button variant="default" onClick={() => setReassigning(true)}>
            {areaTexts.reassign.action}
          </Button>
        )}
        {mayDecide && referral.status !== 'rejected' && (
          <DecisionButtons kind={referralReview} rows={[referral]} ask={ask} />
        )}
      </PageHead>
      {dialog}
      {isRecording && <RecordSale referral={referral} onClose={() => setRecording(false)} />}
      {isReassigning && <ReassignReferral referral={referral} onClose={() => setReassigning(false)} />}
      <Flags referral={referral} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Section title={texts.attribution}>
            {referral.explanation ? (
              <AttributionExplained
                explanation={referral.explanation}
                clicks={referral.clicks}
                occurredAt={referral.occurred_at}
              />
            ) : (
              texts.notRecorded
            )}
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Section title={texts.summary}>
            <ReferralFacts referral={referral} />
          </Section>
        </Grid.Col>
      </Grid>
      <Stack mt="lg" gap="lg">
        <section aria-labelledby="sales">
          <Title order={2} size="h4" mb="xs" id="sales">
            {texts.sales}
          </Title>
          <ReferralSales referral={referral} />
        </section>
        <section aria-labelledby="commissions">
          <Title order={2} size="h4" mb="xs" id="commissions">
            {texts.commissions}
          </Title>
          <ReferralCommissions id={referral.id} />
        </section>
      </Stack>
    </>
  )
}

/** Why it needs review, or needed it before it was decided. */
function Flags({ referral: { flags, status } }: { referral: ReferralDetail }) {
  if (flags.length === 0) return null
  const isOpen = status === 'pending_review'
  return (
    <Alert
      mb="md"
      variant="light"
      color={isOpen ? 'yellow' : 'gray'}
      title={isOpen ? texts.needsReview : texts.reviewed}
    >
      <List size="sm">
        {flags.map(flag => (
          <List.Item key={flag}>{flagText(flag)}</List.Item>
        ))}
      </List>
      {isOpen && texts.reviewNote}
    </Alert>
  )
}

function ReferralFacts({ referral }: { referral: ReferralDetail }) {
  return (
    <FactList
      facts={[
        [
          texts.id,
          <Copy key="id" value={String(referral.id)} label={texts.copyId}>
            {referral.id}
          </Copy>,
        ],
        [
          fields.customer,
          <Copy key="customer" value={referral.customer_ref} label={texts.copyCustomer}>
            {referral.customer_ref}
          </Copy>,
        ],
        ...(referral.customer_email === null
          ? []
          : [
              [
                texts.email,
                <Copy key="email" value={referral.customer_email} label={texts.copyEmail}>
                  <Breakable>{referral.customer_email}</Breakable>
                </Copy>,
              ] as [string, ReactNode],
            ]),
        [texts.subscription, <Subscriptions key="subscription" referral={referral} />],
        [
          fields.campaign,
          <PageLink key="campaign" to={`campaigns/${referral.campaign_id}`}>
            {referral.campaign_name}
          </PageLink>,
        ],
        [texts.converted, <When key="converted" time={referral.occurred_at} />],
        ...(referral.rejection
          ? [
              [
                texts.rejectionReason,
                (referral.rejection.is_shared ? texts.sharedReason : texts.privateReason)(
                  referral.rejection.reason,
                ),
              ] as [string, ReactNode],
            ]
          : []),
        [texts.reported, <When key="reported" time={referral.created_at} />],
        [areaTexts.revenue, <Sums key="revenue" sums={referral.revenue} none={states.noneYet} />],
        [
          texts.commission,
          referral.commissions.length === 0
            ? states.noneYet
            : referral.commissions.map(({ status, currency, amount_minor }) => (
                <div key={`${status}${currency}`}>
                  <Money minor={amount_minor} currency={currency} /> {commissionTexts.statuses[status]}
                </div>
              )),
        ],
      ]}
    />
  )
}

/** What the billing system says of the customer's subscriptions; the reported ID if there is none. */
function Subscriptions({ referral: { subscriptions, subscription_ref } }: { referral: ReferralDetail }) {
  if (subscriptions.length === 0) return subscription_ref ?? states.none
  return (
    <Stack gap="xs">
      {subscriptions.map(({ id, provider, status, updated_at }) => (
        <div key={`${provider} ${id}`}>
          <Group gap="xs">
            <Breakable>{id}</Breakable>
            <Status value={status} label={texts.subscriptionStatuses[status]} />
          </Group>
          <Text size="xs" c="dimmed">
            {texts.subscriptionUpdated} <When time={updated_at} />
          </Text>
        </div>
      ))}
    </Stack>
  )
}

function ReferralCommissions({ id }: { id: number }) {
  const path = usePath()
  const navigate = useNavigate()
  return (
    <DataTable
      route="listCommissions"
      label={texts.commissionsLabel}
      query={{ referral_id: id }}
      columns={ownCommissionColumns}
      onRow={row => void navigate({ to: path(`commissions/${row.id}`) })}
      empty={<EmptyState title={texts.noCommissions}>{texts.noCommissionsText}</EmptyState>}
    />
  )
}
