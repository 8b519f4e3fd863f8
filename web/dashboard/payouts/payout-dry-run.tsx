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
import { count, dateAndTime, money } from '../../ui/format.ts'
import { Money } from '../../ui/values.tsx'
import { showError, useAccount, useMay, usePath } from '../shared/account.tsx'
import { ApiError, call } from '../shared/api.ts'
import { ConfirmDialog } from '../shared/confirm-dialog.tsx'
import { ExportLink } from '../shared/export-link.tsx'
import { Copy } from '../shared/facts.tsx'
import { queryKeys } from '../shared/query-keys.ts'
import { ErrorNotice } from '../shared/states.tsx'
import { useFilters } from '../shared/use-filters.ts'
import { DryRunTable, type PayoutRequest } from './payout-dry-run-table.tsx'
import { ExclusionFilter } from './payout-exclusions.tsx'
import { railWords } from './payout-words.ts'

/** What a payout made now would hold. It stays as it was looked at until somebody looks again: its digest is what is then made. */
export function DryRun({ request }: { request: PayoutRequest }) {
  const account = useAccount()
  const [lookedAt, setLookedAt] = useState(() => Date.now())
  const query = { ...request, only: 'paid' } as const
  const look = useQuery({
    queryKey: queryKeys.dryRun(account.id, query, lookedAt),
    queryFn: () => call(account.id, 'previewPayout', { query }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  const again = () => setLookedAt(Date.now())
  if (look.isPending)
    return (
      <Paper withBorder p="xl" aria-busy="true" role="status">
        <Group justify="center">
          <Loader size="sm" />
          <Text c="dimmed">Adding up what everybody has earned…</Text>
        </Group>
      </Paper>
    )
  if (look.isError) return <ErrorNotice error={look.error} retry={again} />
  return <DryRunShown key={lookedAt} request={request} first={look.data} again={again} />
}

function DryRunShown({
  request,
  first,
  again,
}: {
  request: PayoutRequest
  first: PayoutPreviewPage
  again: () => void
}) {
  const { values, set } = useFilters('/$account/payouts/new')
  const tab = values.tab ?? 'paid'
  const nobody = Object.values(first.excluded).reduce((sum, each) => sum + each, 0)
  // From here on everything is of the same moment, and later earnings do not spoil it.
  const pinned = { ...request, cut_off: first.cut_off }
  return (
    <Stack gap="md">
      <Figures first={first} nobody={nobody} />
      {request.rail === 'paypal' && !first.has_paypal && (
        <Alert color="yellow" variant="light" title="PayPal is not connected yet">
          The payout can be made, but not sent before somebody who may change the settings adds the PayPal
          credentials there.
        </Alert>
      )}
      <Group justify="space-between" align="flex-start">
        <CreatePayout request={pinned} first={first} again={again} />
        <ExportLink route="exportPreview" query={pinned} />
      </Group>
      <Tabs
        value={tab}
        onChange={value => set({ tab: value === 'nothing' ? value : undefined, reason: undefined })}
        keepMounted={false}
      >
        <Tabs.List mb="sm">
          <Tabs.Tab value="paid" rightSection={<Count value={first.items} colour="teal" />}>
            Will be paid
          </Tabs.Tab>
          <Tabs.Tab value="nothing" rightSection={<Count value={nobody} colour="gray" />}>
            Gets nothing
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="paid">
          <DryRunTable request={pinned} first={first} only="paid" again={again} />
        </Tabs.Panel>
        <Tabs.Panel value="nothing">
          <ExclusionFilter first={first} />
          <DryRunTable request={pinned} first={first} only="excluded" again={again} />
        </Tabs.Panel>
      </Tabs>
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

function Figure({ name, children }: { name: string; children: ReactNode }) {
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

function Figures({ first, nobody }: { first: PayoutPreviewPage; nobody: number }) {
  const { currency } = first
  return (
    <Paper withBorder p="md">
      <SimpleGrid component="dl" cols={{ base: 2, sm: 3, lg: 6 }} spacing="md" m={0}>
        <Figure name="Total">
          <Money minor={first.total_minor} currency={currency} />
        </Figure>
        <Figure name="Will be paid">{people(first.items)}</Figure>
        <Figure name="Gets nothing">{people(nobody)}</Figure>
        <Figure name="Minimum">
          <Money minor={first.minimum_payout_minor} currency={currency} />
        </Figure>
        <Figure name="Earned until">
          <time dateTime={first.cut_off}>{dateAndTime(first.cut_off)}</time>
        </Figure>
        <Figure name="Digest">
          <Copy value={first.digest} label="Copy the digest">
            <Code>{first.digest.slice(0, 12)}…</Code>
          </Copy>
        </Figure>
      </SimpleGrid>
    </Paper>
  )
}

const people = (number: number) => `${count(number)} ${number === 1 ? 'affiliate' : 'affiliates'}`

/** The content is another by now, or there is none any more. */
const hasChanged = (error: Error | null) => error instanceof ApiError && error.status === 409

function CreatePayout({
  request,
  first,
  again,
}: {
  request: PayoutRequest
  first: PayoutPreviewPage
  again: () => void
}) {
  const account = useAccount()
  const queries = useQueryClient()
  const path = usePath()
  const navigate = useNavigate()
  const mayPay = useMay('money')
  const [isAsking, setAsking] = useState(false)
  const create = useMutation({
    mutationFn: () => call(account.id, 'createPayout', { body: { ...request, digest: first.digest } }),
    onSuccess: async ({ id }) => {
      notifications.show({ message: `Payout ${id} is made. No money has moved yet.`, color: 'teal' })
      await queries.invalidateQueries({ queryKey: queryKeys.account(account.id) })
      await navigate({ to: path(`payouts/${id}`) })
    },
    onError: error => hasChanged(error) || showError(error),
  })
  if (hasChanged(create.error))
    return (
      <Alert color="orange" variant="light" title="This is no longer what would be paid" role="alert">
        <Text size="sm" mb="sm">
          {create.error instanceof ApiError && create.error.code === 'conflict'
            ? 'Since you looked, somebody may have approved, refunded, paid or changed an address.'
            : 'Nothing of it is left to pay: another payout may have taken it up.'}{' '}
          Nothing was made.
        </Text>
        <Button size="xs" onClick={again}>
          Look again
        </Button>
      </Alert>
    )
  if (!mayPay)
    return (
      <Text size="sm" c="dimmed">
        Your role lets you look at the dry run. Somebody who may move money can make the payout of it.
      </Text>
    )
  const total = money(first.total_minor, first.currency)
  return (
    <Group gap="xs">
      <Button disabled={first.items === 0} loading={create.isPending} onClick={() => setAsking(true)}>
        Create payout
      </Button>
      <Button variant="default" onClick={again}>
        Look again
      </Button>
      {first.items === 0 && (
        <Text size="sm" c="dimmed">
          There is nothing to pay. “Gets nothing” says why.
        </Text>
      )}
      {isAsking && (
        <ConfirmDialog
          title="Create this payout?"
          confirm={`Create it: ${total}`}
          onClose={() => setAsking(false)}
          onConfirm={() => {
            setAsking(false)
            create.mutate()
          }}
        >
          <Text size="sm">
            It fixes <strong>{count(first.items)}</strong> {first.items === 1 ? 'payment' : 'payments'} of{' '}
            <strong>{total}</strong> in total ({railWords[request.rail]}). What it pays is in no other payout.
          </Text>
          <Text size="sm">No money moves yet: that is the next step, and until then it can be canceled.</Text>
        </ConfirmDialog>
      )}
    </Group>
  )
}
