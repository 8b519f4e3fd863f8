import { Alert, Code, Grid, Group, Paper, Skeleton, Stack, Title } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { PayoutDetail } from '@tributary/contract/dashboard'
import { type ReactNode, useState } from 'react'
import { Money, Status } from '../../ui/values.tsx'
import { useCall, useMay } from '../shared/account.tsx'
import { texts as sharedTexts } from '../shared/en.ts'
import { FactList } from '../shared/fact-list.tsx'
import { Copy, When } from '../shared/facts.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { ErrorNotice, PageHead } from '../shared/states.tsx'
import { CutOff } from './cut-off.tsx'
import { texts as areaTexts } from './en.ts'
import { FailedNotice } from './failed-payments.tsx'
import { PayoutActions } from './payout-actions.tsx'
import { type Decision, DecisionDialog } from './payout-decision.tsx'
import { PayoutItems } from './payout-items.tsx'
import { PayoutProgress } from './payout-progress.tsx'
import { PayoutSubmissions } from './payout-submissions.tsx'
import { nextStepOf } from './payout-text.ts'
import { PayPalMissing } from './paypal-missing.tsx'

const { detail: texts } = areaTexts
const { fields, payoutMethods, states } = sharedTexts

const POLL_MS = 2000

export function PayoutPage() {
  const { id } = useParams({ strict: false })
  const [isPolling, setPolling] = useState(false)
  const payout = useCall('getPayout', { id: Number(id) }, { refetchInterval: isPolling && POLL_MS })
  const isUnderWay =
    payout.data !== undefined && (payout.data.status === 'processing' || payout.data.unbooked > 0)
  if (isUnderWay !== isPolling) setPolling(isUnderWay)
  if (payout.isPending) return <Skeleton height={320} role="status" aria-label={states.loading} />
  if (payout.isError)
    return (
      <>
        <PageHead title={areaTexts.payout(id ?? '')} note={<PageLink to="payouts">{texts.all}</PageLink>} />
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
        title={areaTexts.payout(payout.id)}
        note={
          <Group gap="xs">
            <Status value={payout.status} />
            <span>
              <Money minor={payout.total_minor} currency={payout.currency} /> {texts.to(payout.item_count)}
            </span>
          </Group>
        }
      >
        <PayoutActions payout={payout} decide={setDecision} />
      </PageHead>
      {decision && <DecisionDialog payout={payout} decision={decision} onClose={() => setDecision(null)} />}
      <NextStep payout={payout} />
      <FailedNotice payout={payout} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Section title={texts.progress}>
            <PayoutProgress payout={payout} />
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Section title={texts.summary}>
            <Facts payout={payout} />
          </Section>
        </Grid.Col>
      </Grid>
      <Stack mt="lg" gap="lg">
        {payout.submissions.length > 0 && (
          <section aria-labelledby="submissions">
            <Title order={2} size="h4" mb="xs" id="submissions">
              {texts.batches}
            </Title>
            <PayoutSubmissions payout={payout} />
          </section>
        )}
        <section aria-labelledby="payments">
          <Title order={2} size="h4" mb="xs" id="payments">
            {texts.payments}
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

/** The user's next step, if there is one. */
function NextStep({ payout }: { payout: PayoutDetail }) {
  const mayPay = useMay('money')
  const mayChangeSettings = useMay('settings')
  const step = mayPay ? nextStepOf(payout) : undefined
  switch (step) {
    case undefined:
      return null
    case 'connect_paypal':
      return <PayPalMissing>{areaTexts.payPalMissing.send}</PayPalMissing>
    case 'unknown_outcome':
      return (
        <Alert color="red" variant="light" mb="md" title={texts.needsAttention(payout.by_hand)}>
          {texts.unknownOutcome}
        </Alert>
      )
    case 'not_sent':
      return (
        <Alert color="yellow" variant="light" mb="md" title={texts.notSent(payout.unsent)}>
          {texts.notSentNote}{' '}
          {mayChangeSettings && (
            <PageLink inText to="settings/payout-rails">
              {areaTexts.payPalMissing.action}
            </PageLink>
          )}
        </Alert>
      )
    default:
      return (
        <Alert color="blue" variant="light" mb="md" title={texts.nextStep}>
          {texts.steps[step]}
        </Alert>
      )
  }
}

function Facts({ payout }: { payout: PayoutDetail }) {
  return (
    <FactList
      facts={[
        [
          texts.id,
          <Copy key="id" value={String(payout.id)} label={texts.copyId}>
            {payout.id}
          </Copy>,
        ],
        [
          fields.campaign,
          <PageLink key="campaign" to={`campaigns/${payout.campaign_id}`}>
            {payout.campaign_name}
          </PageLink>,
        ],
        [texts.method, payoutMethods[payout.rail]],
        [
          texts.minimum,
          <Money key="minimum" minor={payout.minimum_payout_minor} currency={payout.currency} />,
        ],
        [texts.cutOff, <CutOff key="cut-off" time={payout.cut_off} zone={payout.time_zone} />],
        [fields.created, <When key="created" time={payout.created_at} />],
        [
          texts.completed,
          payout.finished_at ? <When key="completed" time={payout.finished_at} /> : texts.notYet,
        ],
        [
          areaTexts.preview.digest,
          payout.digest ? (
            <Copy key="digest" value={payout.digest} label={areaTexts.preview.copyDigest}>
              <Code>{payout.digest.slice(0, 12)}…</Code>
            </Copy>
          ) : (
            states.none
          ),
        ],
      ]}
    />
  )
}
