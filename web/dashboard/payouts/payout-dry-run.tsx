import {
  Alert,
  Badge,
  Button,
  Code,
  Group,
  Loader,
  Paper,
  SimpleGrid,
  Stack,
  Tabs,
  Text,
} from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { PayoutPreviewPage } from '@tributary/contract/dashboard'
import { type ReactNode, useState } from 'react'
import { count, money } from '../../ui/format.ts'
import { Money } from '../../ui/values.tsx'
import { showError, useAccount, useCall, useMay, usePath } from '../shared/account.tsx'
import { ApiError, call } from '../shared/api.ts'
import { ConfirmDialog } from '../shared/confirm-dialog.tsx'
import { texts as sharedTexts } from '../shared/en.ts'
import { ExportLink } from '../shared/export-link.tsx'
import { Copy } from '../shared/facts.tsx'
import { ButtonLink } from '../shared/links.tsx'
import { queryKeys } from '../shared/query-keys.ts'
import { ErrorNotice } from '../shared/states.tsx'
import { useFilters } from '../shared/use-filters.ts'
import { CutOff } from './cut-off.tsx'
import { texts as areaTexts } from './en.ts'
import { NothingToPay } from './nothing-to-pay.tsx'
import { DryRunTable, type PayoutRequest } from './payout-dry-run-table.tsx'
import { ExclusionFilter } from './payout-exclusions.tsx'
import { PayPalMissing } from './paypal-missing.tsx'
import { TestPayoutSection } from './test-payouts.tsx'

const texts = areaTexts.preview

/** A preview of the payout. It stays fixed until it is refreshed: the payout is created from exactly this digest. */
export function DryRun({ request }: { request: PayoutRequest }) {
  const account = useAccount()
  const [loadedAt, setLoadedAt] = useState(() => Date.now())
  const query = { ...request, only: 'paid' } as const
  const preview = useQuery({
    queryKey: queryKeys.dryRun(account.id, query, loadedAt),
    queryFn: () => call(account.id, 'previewPayout', { query }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  const refresh = () => setLoadedAt(Date.now())
  if (preview.isPending)
    return (
      <Paper withBorder p="xl" aria-busy="true" role="status">
        <Group justify="center">
          <Loader size="sm" />
          <Text c="dimmed">{texts.loading}</Text>
        </Group>
      </Paper>
    )
  if (preview.isError) return <ErrorNotice error={preview.error} retry={refresh} />
  return (
    <DryRunShown
      key={loadedAt}
      request={request}
      first={preview.data}
      loadedAt={loadedAt}
      refresh={refresh}
    />
  )
}

function DryRunShown({
  request,
  first,
  loadedAt,
  refresh,
}: {
  request: PayoutRequest
  first: PayoutPreviewPage
  loadedAt: number
  refresh: () => void
}) {
  const { values, set } = useFilters('/$account/payouts/new')
  const tests = useCall('listTestPayouts', { query: { campaign_id: request.campaign_id } })
  const tab = values.tab ?? 'paid'
  const excluded = Object.values(first.excluded).reduce((sum, each) => sum + each, 0)
  // Pins the cut-off, so that later commissions don't change the preview.
  const pinned = { ...request, cut_off: first.cut_off }
  const rows = { request: pinned, first, loadedAt, refresh }
  return (
    <Stack gap="md">
      <Metrics first={first} excluded={excluded} />
      {request.rail === 'paypal' && !first.has_paypal && (
        <PayPalMissing>{areaTexts.payPalMissing.create}</PayPalMissing>
      )}
      {tests.data && <NothingToPay first={first} terms={tests.data} />}
      <Group justify="space-between" align="flex-start">
        <CreatePayout request={pinned} first={first} refresh={refresh} />
        <ExportLink route="exportPreview" query={pinned} />
      </Group>
      <Tabs
        value={tab}
        onChange={value => set({ tab: value === 'excluded' ? value : undefined, reason: undefined })}
        keepMounted={false}
      >
        <Tabs.List mb="sm">
          <Tabs.Tab value="paid" rightSection={<Count value={first.items} colour="teal" />}>
            {texts.included}
          </Tabs.Tab>
          <Tabs.Tab value="excluded" rightSection={<Count value={excluded} colour="gray" />}>
            {texts.excluded}
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="paid">
          <DryRunTable {...rows} only="paid" />
        </Tabs.Panel>
        <Tabs.Panel value="excluded">
          <ExclusionFilter first={first} />
          <DryRunTable {...rows} only="excluded" />
        </Tabs.Panel>
      </Tabs>
      {tests.data && <TestPayoutSection campaignId={request.campaign_id} tests={tests.data} />}
    </Stack>
  )
}

function Count({ value, colour }: { value: number; colour: string }) {
  return (
    <Badge size="sm" variant="light" color={colour} autoContrast>
      {count(value)}
    </Badge>
  )
}

function Metric({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <Text size="sm" c="dimmed" component="dt">
        {name}
      </Text>
      <Text component="dd" m={0} fw={600} style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Text>
    </div>
  )
}

function Metrics({ first, excluded }: { first: PayoutPreviewPage; excluded: number }) {
  const { currency } = first
  return (
    <Paper withBorder p="md">
      <SimpleGrid component="dl" cols={{ base: 2, sm: 3, lg: 6 }} spacing="md" m={0}>
        <Metric name={texts.total}>
          <Money minor={first.total_minor} currency={currency} />
        </Metric>
        <Metric name={texts.included}>{areaTexts.affiliates(first.items)}</Metric>
        <Metric name={texts.excluded}>{areaTexts.affiliates(excluded)}</Metric>
        <Metric name={texts.minimum}>
          <Money minor={first.minimum_payout_minor} currency={currency} />
        </Metric>
        <Metric name={texts.cutOff}>
          <CutOff time={first.cut_off} zone={first.time_zone} />
        </Metric>
        <Metric name={texts.digest}>
          <Copy value={first.digest} label={texts.copyDigest}>
            <Code>{first.digest.slice(0, 12)}…</Code>
          </Copy>
        </Metric>
      </SimpleGrid>
    </Paper>
  )
}

/** The content has changed since the preview, or nothing of it is payable any more. */
const hasChanged = (error: Error | null) => error instanceof ApiError && error.status === 409

function CreatePayout({
  request,
  first,
  refresh,
}: {
  request: PayoutRequest
  first: PayoutPreviewPage
  refresh: () => void
}) {
  const account = useAccount()
  const queries = useQueryClient()
  const path = usePath()
  const navigate = useNavigate()
  const mayPay = useMay('money')
  const [isConfirming, setConfirming] = useState(false)
  const create = useMutation({
    mutationFn: () => call(account.id, 'createPayout', { body: { ...request, digest: first.digest } }),
    onSuccess: async ({ id }) => {
      notifications.show({ message: texts.created(id), color: 'teal' })
      await queries.invalidateQueries({ queryKey: queryKeys.account(account.id) })
      await navigate({ to: path(`payouts/${id}`) })
    },
    onError: error => hasChanged(error) || showError(error),
  })
  if (hasChanged(create.error))
    return (
      <Alert color="orange" variant="light" title={texts.outdated.title} role="alert">
        <Text size="sm" mb="sm">
          {create.error instanceof ApiError && create.error.code === 'conflict'
            ? texts.outdated.changed
            : texts.outdated.gone}
        </Text>
        <Group gap="xs">
          <Button size="xs" onClick={refresh}>
            {texts.refresh}
          </Button>
          <ButtonLink to="/$account/payouts" variant="default" size="xs">
            {texts.outdated.payouts}
          </ButtonLink>
        </Group>
      </Alert>
    )
  if (!mayPay)
    return (
      <Text size="sm" c="dimmed">
        {texts.readOnly}
      </Text>
    )
  const total = money(first.total_minor, first.currency)
  return (
    <Group gap="xs">
      <Button disabled={first.items === 0} loading={create.isPending} onClick={() => setConfirming(true)}>
        {texts.action}
      </Button>
      <Button variant="default" onClick={refresh}>
        {texts.refresh}
      </Button>
      {first.items === 0 && (
        <Text size="sm" c="dimmed">
          {texts.nothingToPay}
        </Text>
      )}
      {isConfirming && (
        <ConfirmDialog
          title={texts.confirmTitle}
          confirm={texts.confirm(total)}
          onClose={() => setConfirming(false)}
          onConfirm={() => {
            setConfirming(false)
            create.mutate()
          }}
        >
          <Text size="sm">
            {texts.consequences(first.items, total, sharedTexts.payoutMethods[request.rail])}
          </Text>
          <Text size="sm">{texts.reversible}</Text>
        </ConfirmDialog>
      )}
    </Group>
  )
}
