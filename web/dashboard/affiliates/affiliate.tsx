import { Badge, Grid, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { AffiliateDetail } from '@tributary/contract/dashboard'
import { Status } from '../../ui/values.tsx'
import { useCall, useMay } from '../shared/account.tsx'
import { Copy, When } from '../shared/facts.tsx'
import { ButtonLink } from '../shared/links.tsx'
import { Section } from '../shared/section.tsx'
import { ErrorNotice, PageHead } from '../shared/states.tsx'
import { AffiliateBalances } from './affiliate-balances.tsx'
import { AffiliateDetails } from './affiliate-details.tsx'
import { AffiliateLinks } from './affiliate-links.tsx'
import { AffiliateReviewButtons, useAffiliateReview } from './affiliate-review.tsx'
import { AffiliateTimeline } from './affiliate-timeline.tsx'
import { StatementDownload } from './statement-download.tsx'

export function AffiliatePage() {
  const { id } = useParams({ strict: false })
  const affiliate = useCall('getAffiliate', { id: Number(id) })
  if (affiliate.isPending) return <Skeleton height={320} aria-label="Loading" />
  if (affiliate.isError)
    return (
      <>
        <PageHead title="Affiliate" />
        <ErrorNotice error={affiliate.error} retry={() => void affiliate.refetch()} />
      </>
    )
  return <AffiliateShown affiliate={affiliate.data} />
}

function AffiliateShown({ affiliate }: { affiliate: AffiliateDetail }) {
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
                Customer
              </Badge>
            )}
            <span>
              joined <When time={affiliate.created_at} />
            </span>
            <Copy value={String(affiliate.id)} label="Copy the affiliate’s id">
              id {affiliate.id}
            </Copy>
          </Group>
        }
      >
        <ButtonLink to="/$account/referrals" search={search} variant="default">
          Referrals
        </ButtonLink>
        <ButtonLink to="/$account/commissions" search={search} variant="default">
          Commissions
        </ButtonLink>
        {mayDecide && (
          <AffiliateReviewButtons
            rows={[affiliate]}
            // Who is in and is turned away loses something; the other decisions take nothing.
            onDecide={affiliate.status === 'approved' ? ask : decide}
          />
        )}
      </PageHead>
      {dialog}
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="md">
            <AffiliateBalances balances={affiliate.balances} />
            <Section title="Links and campaigns">
              <AffiliateLinks affiliate={affiliate} />
            </Section>
            <Section title="What happened">
              <AffiliateTimeline events={affiliate.events} />
            </Section>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="md">
            <Section title="Details">
              <AffiliateDetails affiliate={affiliate} />
            </Section>
            <Section title="Statement">
              <Text size="sm" c="dimmed" mb="sm">
                Every entry of the ledger with the balance after it, as a CSV file.
              </Text>
              <StatementDownload affiliateId={affiliate.id} />
            </Section>
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  )
}
