import { Alert, Badge, Button, Grid, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { AffiliateDetail } from '@tributary/contract/dashboard'
import { Status } from '../../ui/values.tsx'
import { useCall, useChange, useMay } from '../shared/account.tsx'
import { texts as shared } from '../shared/en.ts'
import { Copy, When } from '../shared/facts.tsx'
import { ButtonLink } from '../shared/links.tsx'
import { Performance } from '../shared/performance.tsx'
import { Section } from '../shared/section.tsx'
import { ErrorNotice, PageHead } from '../shared/states.tsx'
import { AffiliateApplications } from './affiliate-applications.tsx'
import { AffiliateBalances } from './affiliate-balances.tsx'
import { AffiliateContact } from './affiliate-contact.tsx'
import { AffiliateDetails } from './affiliate-details.tsx'
import { AffiliateLinks } from './affiliate-links.tsx'
import { AffiliateNotes } from './affiliate-notes.tsx'
import { AffiliateReviewButtons, useAffiliateReview } from './affiliate-review.tsx'
import { AffiliateTimeline } from './affiliate-timeline.tsx'
import { texts } from './en.ts'
import { StatementDownload } from './statement-download.tsx'

const { page } = texts

export function AffiliatePage() {
  const { id } = useParams({ strict: false })
  const affiliate = useCall('getAffiliate', { id: Number(id) })
  if (affiliate.isPending) return <Skeleton height={320} role="status" aria-label={shared.states.loading} />
  if (affiliate.isError)
    return (
      <>
        <PageHead title={page.title} />
        <ErrorNotice error={affiliate.error} retry={() => void affiliate.refetch()} />
      </>
    )
  return <AffiliateView affiliate={affiliate.data} />
}

function AffiliateView({ affiliate }: { affiliate: AffiliateDetail }) {
  const mayDecide = useMay('programme')
  const { ask, decide, dialog } = useAffiliateReview()
  const search = { affiliate_id: affiliate.id }
  return (
    <>
      <PageHead
        title={affiliate.name ?? affiliate.email}
        note={
          <Group gap="xs" component="span">
            <Status value={affiliate.status} />
            {affiliate.kind === 'customer' && (
              <Badge variant="outline" color="gray" tt="none">
                {texts.kinds.customer}
              </Badge>
            )}
            <span>
              {page.joined} <When time={affiliate.created_at} />
            </span>
            <Copy value={String(affiliate.id)} label={page.copyId}>
              {page.id(affiliate.id)}
            </Copy>
          </Group>
        }
      >
        <ButtonLink to="/$account/referrals" search={search} variant="default">
          {page.referrals}
        </ButtonLink>
        <ButtonLink to="/$account/commissions" search={search} variant="default">
          {page.commissions}
        </ButtonLink>
        {mayDecide && (
          <AffiliateReviewButtons
            rows={[affiliate]}
            // Rejecting can have a reason, so it is confirmed first.
            onDecide={(rows, decision) => (decision === 'rejected' ? ask : decide)(rows, decision)}
          />
        )}
      </PageHead>
      {dialog}
      {affiliate.is_held && <HeldNotice affiliateId={affiliate.id} />}
      {affiliate.rejection && (
        <Alert color="gray" variant="light" mb="md" title={page.rejection}>
          {(affiliate.rejection.is_shared ? page.sharedReason : page.privateReason)(
            affiliate.rejection.reason,
          )}
        </Alert>
      )}
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="md">
            <AffiliateApplications affiliateId={affiliate.id} />
            <AffiliateBalances balances={affiliate.balances} />
            <Performance of={search} />
            <Section title={page.links}>
              <AffiliateLinks affiliate={affiliate} />
            </Section>
            <Section title={page.activity}>
              <AffiliateTimeline events={affiliate.events} />
            </Section>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="md">
            <Section title={page.contact}>
              <AffiliateContact affiliate={affiliate} />
            </Section>
            <Section title={page.notes}>
              <AffiliateNotes affiliateId={affiliate.id} />
            </Section>
            <Section title={page.details}>
              <AffiliateDetails affiliate={affiliate} />
            </Section>
            <Section title={page.statement}>
              <Text size="sm" c="dimmed" mb="sm">
                {texts.statement.note}
              </Text>
              <StatementDownload affiliateId={affiliate.id} />
            </Section>
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  )
}

/** After a fraud signal, new referrals may be held until someone ends it here. */
function HeldNotice({ affiliateId }: { affiliateId: number }) {
  const mayDecide = useMay('programme')
  const change = useChange('holdAffiliate', { done: page.holdEnded })
  return (
    <Alert color="yellow" variant="light" mb="md" title={page.held}>
      <Group justify="space-between" gap="xs">
        <Text size="sm">{page.heldText}</Text>
        {mayDecide && (
          <Button
            size="xs"
            variant="default"
            loading={change.isPending}
            onClick={() => change.mutate({ id: affiliateId, body: { is_held: false } })}
          >
            {page.endHold}
          </Button>
        )}
      </Group>
    </Alert>
  )
}
