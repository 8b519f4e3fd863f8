import { Alert, List, Text, Textarea } from '@mantine/core'
import type { MappingTrial } from '@tributary/contract/dashboard'
import { LONGEST_SAMPLE } from '@tributary/contract/dashboard/connector-providers'
import { money } from '../../ui/format.ts'
import { texts } from './en.ts'

const { mapping: labels } = texts

export function Sample({ value, onChange }: { value: string; onChange: (sample: string) => void }) {
  return (
    <Textarea
      label={labels.sample}
      description={labels.sampleHint}
      value={value}
      onChange={event => onChange(event.currentTarget.value)}
      error={value.length > LONGEST_SAMPLE ? labels.sampleTooLong : undefined}
      autosize
      minRows={8}
      maxRows={24}
      spellCheck={false}
      styles={{ input: { fontFamily: 'monospace', fontSize: 13 } }}
    />
  )
}

type Report = MappingTrial['reports'][number]

function reportText(report: Report): string {
  const { kind, external_id: id, customer, sale_external_id: sale, amount_minor: minor, currency } = report
  const { amount_in_sale_currency: given } = report
  const amount = minor === null || currency === null ? null : money(minor, currency)
  if (kind === 'sale') return labels.reports.sale(id ?? '', amount ?? '', customer ?? '')
  if (kind === 'refund')
    return labels.reports.refund(
      id ?? '',
      given === null ? amount : labels.reports.inSaleCurrency(given),
      sale ?? '',
    )
  if (kind === 'refund_reversed') return labels.reports.refundReversed(id ?? '')
  return labels.reports.customer(
    customer ?? '',
    [
      report.click_id && labels.reports.click(report.click_id),
      report.token && labels.reports.token(report.token),
      report.coupon_code && labels.reports.coupon(report.coupon_code),
    ].filter(evidence => evidence !== null),
  )
}

/** What the event would report, or why not. Read out as it changes. */
export function TrialResult({ trial: { problem, event, reports, ignored } }: { trial: MappingTrial }) {
  const colour = problem !== null ? 'red' : ignored === null ? 'teal' : 'yellow'
  return (
    <Alert color={colour} variant="light" role="status" title={labels.result} aria-label={labels.result}>
      {problem !== null && <Text size="sm">{problem}</Text>}
      {event && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {labels.event(event.type, event.id)}
        </Text>
      )}
      {ignored !== null && <Text size="sm">{labels.ignored(ignored)}</Text>}
      {reports.length > 0 && (
        <List size="sm" spacing={4} style={{ overflowWrap: 'anywhere' }}>
          {reports.map(report => (
            <List.Item key={report.kind}>
              {reportText(report)}
              {report.is_test && ` ${labels.reports.test}`}
            </List.Item>
          ))}
        </List>
      )}
    </Alert>
  )
}
