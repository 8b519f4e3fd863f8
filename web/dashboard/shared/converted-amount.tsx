import { Text, Tooltip } from '@mantine/core'
import type { Sum } from '@tributary/contract/dashboard'
import type { ReactNode } from 'react'
import { money } from '../../ui/format.ts'
import { CountedLink, type CountedRows } from './counted-link.tsx'
import { texts } from './en.ts'

const written = (sums: Sum[]) => sums.map(({ currency, amount_minor }) => money(amount_minor, currency))

/**
 * An amount in the reporting currency, or what is computed from it. What was converted is in a tooltip, also by keyboard; what it lacks is named
 * below it.
 */
export function ConvertedAmount({
  currency,
  of,
  original,
  withoutRate,
  rows,
  children,
}: {
  currency: string
  /** What the original amounts are: the value may be computed from them. */
  of: keyof typeof texts.reporting.original
  original: Sum[]
  withoutRate: Sum[]
  /** What it leads to. */
  rows?: CountedRows | undefined
  children: ReactNode
}) {
  const isConverted = original.some(sum => sum.currency !== currency)
  return (
    <>
      {isConverted ? (
        <Tooltip
          label={texts.reporting.original[of](written(original))}
          events={{ hover: true, focus: true, touch: true }}
          multiline
          maw={320}
        >
          {rows ? (
            <CountedLink {...rows} className="has-original" hasTooltip>
              {children}
            </CountedLink>
          ) : (
            <Text span inherit className="has-original" tabIndex={0}>
              {children}
            </Text>
          )}
        </Tooltip>
      ) : (
        <MayLead rows={rows}>{children}</MayLead>
      )}
      {withoutRate.length > 0 && (
        <Text span display="block" size="xs" fw={400} c="dimmed">
          {texts.reporting.withoutRate(written(withoutRate))}
        </Text>
      )}
    </>
  )
}

/** A number, as a link if it leads to rows. */
export const MayLead = ({ rows, children }: { rows: CountedRows | undefined; children: ReactNode }) =>
  rows ? <CountedLink {...rows}>{children}</CountedLink> : children
