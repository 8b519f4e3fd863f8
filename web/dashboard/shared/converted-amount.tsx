import { Text, Tooltip } from '@mantine/core'
import type { ExploredSums, Sum } from '@tributary/contract/dashboard'
import type { ReactNode } from 'react'
import { money } from '../../ui/format.ts'
import { texts } from './en.ts'
import { type AmountName, sumsOf } from './figures.ts'

const written = (sums: Sum[]) => sums.map(({ currency, amount_minor }) => money(amount_minor, currency))

/** An amount in the reporting currency. What it was converted from is in a tooltip, also by keyboard; what it lacks is named below it. */
export function ConvertedAmount({
  currency,
  original,
  withoutRate,
  isFocusable = true,
  children,
}: {
  currency: string
  original: Sum[]
  withoutRate: Sum[]
  /** False where it holds a link, which has the focus. */
  isFocusable?: boolean
  children: ReactNode
}) {
  const isConverted = original.some(sum => sum.currency !== currency)
  return (
    <>
      {isConverted ? (
        <Tooltip
          label={texts.reporting.original(written(original))}
          events={{ hover: true, focus: true, touch: true }}
          multiline
          maw={320}
        >
          <span className="has-original" {...(isFocusable && { tabIndex: 0 })}>
            {children}
          </span>
        </Tooltip>
      ) : (
        children
      )}
      {withoutRate.length > 0 && (
        <Text span display="block" size="xs" fw={400} c="dimmed">
          {texts.reporting.withoutRate(written(withoutRate))}
        </Text>
      )}
    </>
  )
}

/** The same for an amount of a row or a total; as it is without a reporting currency. */
export function ExploredAmount({
  sums: { converted, money: original },
  of,
  isFocusable,
  children,
}: {
  sums: ExploredSums
  of: AmountName
  isFocusable?: boolean
  children: ReactNode
}) {
  if (!converted) return children
  return (
    <ConvertedAmount
      currency={converted.currency}
      original={sumsOf(original, of)}
      withoutRate={sumsOf(converted.without_rate, of)}
      {...(isFocusable !== undefined && { isFocusable })}
    >
      {children}
    </ConvertedAmount>
  )
}
