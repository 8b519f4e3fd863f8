import { Alert, Code, Grid, Group, Paper, Skeleton, Stack, Title } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { PayoutDetail } from '@tributary/contract/dashboard'
import { type ReactNode, useState } from 'react'
import { count, dateAndTime } from '../../ui/format.ts'
import { Money, Status } from '../../ui/values.tsx'
import { useCall, useMay } from '../shared/account.tsx'
import { FactList } from '../shared/fact-list.tsx'
import { Copy, When } from '../shared/facts.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { ErrorNotice, PageHead } from '../shared/states.tsx'
import { PayoutActions } from './payout-actions.tsx'
import { type Decision, DecisionDialog } from './payout-decision.tsx'
import { PayoutItems } from './payout-items.tsx'
import { PayoutProgress } from './payout-progress.tsx'
import { PayoutSubmissions } from './payout-submissions.tsx'
import { railWords } from './payout-words.ts'

const LOOK_AGAIN_MS = 2000

export function PayoutPage() {
  const { id } = useParams({ strict: false })
  const [looksAgain, setLooksAgain] = useState(false)
  const payout = useCall('getPayout', { id: Number(id) }, { refetchInterval: looksAgain && LOOK_AGAIN_MS })
  const isUnderWay =
    payout.data !== undefined && (payout.data.status === 'processing' || payout.data.unbooked > 0)
  if (isUnderWay !== looksAgain) setLooksAgain(isUnderWay)
  if (payout.isPending) return <Skeleton height={320} aria-label="Loading" />
  if (payout.isError)
    return (
      <>
        <PageHead title={`Payout ${id}`} note={<PageLink to="payouts">All payouts</PageLink>} />
        <ErrorNotice error={payout.error} retry={() => void payout.refetch()} />
      </>
    )
  return <PayoutShown payout={payout.data} />
}

function PayoutShown({ payout }: { payout: PayoutDetail }) {
  const [decision, setDecision] = useState<Decision | null>(null)
  return (
    <>
      <PageHead
        title={`Payout ${payout.id}`}
        note={
          <Group gap="xs">
            <Status value={payout.status} />
            <span>
              <Money minor={payout.total_minor} currency={payout.currency} /> for {count(payout.item_count)}{' '}
              {payout.item_count === 1 ? 'affiliate' : 'affiliates'}
            </span>
          </Group>
        }
      >
        <PayoutActions payout={payout} decide={setDecision} />
      </PageHead>
      {decision && <DecisionDialog payout={payout} decision={decision} onClose={() => setDecision(null)} />}
      <NextStep payout={payout} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Section title="Progress">
            <PayoutProgress payout={payout} />
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Section title="At a glance">
            <Facts payout={payout} />
          </Section>
        </Grid.Col>
      </Grid>
      <Stack mt="lg" gap="lg">
        {payout.submissions.length > 0 && (
          <section aria-labelledby="submissions">
            <Title order={2} size="h4" mb="xs" id="submissions">
              At PayPal
            </Title>
            <PayoutSubmissions payout={payout} />
          </section>
        )}
        <section aria-labelledby="items">
          <Title order={2} size="h4" mb="xs" id="items">
            Items
          </Title>
          <PayoutItems payout={payout} decide={setDecision} />
        </section>
      </Stack>
    </>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper withBorder p="md" component="section" h="100%">
      <Title order={2} size="h4" mb="sm">
        {title}
      </Title>
      {children}
    </Paper>
  )
}

/** What is for somebody to do now, in a sentence. */
function NextStep({ payout }: { payout: PayoutDetail }) {
  const { status, rail, unbooked, by_hand, has_paypal } = payout
  const mayPay = useMay('money')
  if (!mayPay || unbooked > 0) return null
  if (status === 'pending' && rail === 'paypal' && !has_paypal)
    return (
      <Alert color="yellow" variant="light" mb="md" title="PayPal is not connected yet">
        Before this payout can be sent, somebody who may change the settings adds the PayPal credentials
        there. Or cancel it, and make one that is paid by hand.
      </Alert>
    )
  if (status === 'processing' && rail === 'paypal' && by_hand > 0)
    return (
      <Alert
        color="red"
        variant="light"
        mb="md"
        title={by_hand === 1 ? 'One payment needs you' : `${count(by_hand)} payments need you`}
      >
        Their outcome at PayPal is unknown. See “At PayPal” below for what to check, then mark them paid or
        failed.
      </Alert>
    )
  if (status === 'pending' || (status === 'processing' && rail === 'manual'))
    return (
      <Alert color="blue" variant="light" mb="md" title="What comes next">
        {status === 'processing'
          ? 'Pay from the file. When the money has left, mark the payout paid; payments that did not go through can be marked failed one by one first.'
          : rail === 'paypal'
            ? 'Send it to PayPal. The service follows each payment to its end, and this page shows how far it is.'
            : 'Export the file to pay from, at your bank or at PayPal. When the money has left, mark the payout paid.'}
      </Alert>
    )
  return null
}

function Facts({ payout }: { payout: PayoutDetail }) {
  return (
    <FactList
      facts={[
        [
          'Payout',
          <Copy key="id" value={String(payout.id)} label="Copy the payout’s id">
            {payout.id}
          </Copy>,
        ],
        [
          'Campaign',
          <PageLink key="campaign" to={`campaigns/${payout.campaign_id}`}>
            {payout.campaign_name}
          </PageLink>,
        ],
        ['Rail', railWords[payout.rail]],
        ['Minimum', <Money key="minimum" minor={payout.minimum_payout_minor} currency={payout.currency} />],
        ['Earned until', dateAndTime(payout.cut_off)],
        ['Created', <When key="created" time={payout.created_at} />],
        ['Ended', payout.finished_at ? <When key="finished" time={payout.finished_at} /> : 'not yet'],
        [
          'Digest',
          payout.digest ? (
            <Copy key="digest" value={payout.digest} label="Copy the digest">
              <Code>{payout.digest.slice(0, 12)}…</Code>
            </Copy>
          ) : (
            '–'
          ),
        ],
      ]}
    />
  )
}
