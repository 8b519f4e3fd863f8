import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import type { ConnectorCode, ConnectorSummary } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { Breakable } from '../../ui/breakable.tsx'
import { useChange } from '../shared/account.tsx'
import { type Column, DataTable } from '../shared/data-table.tsx'
import { ExportLink } from '../shared/export-link.tsx'
import { When } from '../shared/facts.tsx'
import { AffiliateLink } from '../shared/named-links.tsx'
import { EmptyState } from '../shared/states.tsx'
import { AssignCode } from './assign-code.tsx'
import { texts } from './en.ts'
import { CallOutcome, ProviderCalls } from './provider-calls.tsx'

const { codes: labels } = texts

/** The coupon codes of affiliates at the provider: which coupon they belong to, and the outcome of each. */
export function ConnectorCodes({ connector }: { connector: ConnectorSummary }) {
  const [isAssigning, setAssigning] = useState(false)
  const { id } = connector
  const retry = useChange('retryConnectorCodes', { done: ({ codes }) => labels.retried(codes) })
  return (
    <ProviderCalls
      connector={connector}
      labels={labels}
      actions={
        <>
          <Button variant="default" loading={retry.isPending} onClick={() => retry.mutate({ id, body: {} })}>
            {labels.retry}
          </Button>
          <Button variant="default" onClick={() => setAssigning(true)}>
            {labels.assign.action}
          </Button>
          <ExportLink route="exportConnectorCodes" id={id} query={{}} label={labels.export} />
        </>
      }
    >
      {isAssigning && <AssignCode id={id} onClose={() => setAssigning(false)} />}
      {/* A change made elsewhere resets the form. */}
      <CouponForm key={connector.code_coupon} connector={connector} />
      <DataTable
        route="listConnectorCodes"
        label={labels.title}
        id={id}
        query={{}}
        columns={columns}
        refetchInterval={5_000}
        empty={<EmptyState title={labels.empty}>{labels.emptyNote}</EmptyState>}
      />
    </ProviderCalls>
  )
}

function CouponForm({ connector }: { connector: ConnectorSummary }) {
  const [coupon, setCoupon] = useState(connector.code_coupon ?? '')
  const save = useChange('setConnectorCoupon', { isQuiet: true, done: labels.saved })
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        save.mutate({ id: connector.id, body: { coupon: coupon.trim() || null } })
      }}
    >
      <Stack maw={480} gap="sm">
        {save.error && (
          <Alert color="red" role="alert" variant="light">
            {save.error.message}
          </Alert>
        )}
        <TextInput
          // What is typed meanwhile would be lost: saving resets the form.
          disabled={save.isPending}
          label={labels.coupon}
          description={labels.couponHint}
          value={coupon}
          onChange={event => setCoupon(event.currentTarget.value)}
          maxLength={200}
        />
        <Group>
          <Button
            type="submit"
            loading={save.isPending}
            disabled={coupon.trim() === (connector.code_coupon ?? '')}
          >
            {labels.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const columns: Column<ConnectorCode>[] = [
  {
    title: labels.columns.code,
    cell: ({ code, external_id, is_ours }) => (
      <>
        <Breakable>{code}</Breakable>
        <Text size="xs" c="dimmed">
          {is_ours ? external_id && <Breakable>{external_id}</Breakable> : labels.atProvider}
        </Text>
      </>
    ),
  },
  {
    title: labels.columns.affiliate,
    cell: ({ affiliate_id, affiliate_name, affiliate_email }) => (
      <AffiliateLink id={affiliate_id} name={affiliate_name} email={affiliate_email} />
    ),
  },
  {
    title: labels.columns.status,
    cell: ({ status, problem, next_attempt_at }) => (
      <CallOutcome
        status={status}
        label={labels.statuses[status]}
        problem={problem}
        nextAttemptAt={next_attempt_at}
      />
    ),
  },
  { title: labels.columns.created, cell: ({ created_at }) => <When time={created_at} />, sorts: true },
]
