import type { ExploreSource } from '@tributary/contract/dashboard'
import type { ReactNode, Ref } from 'react'
import { texts as sharedTexts } from './en.ts'
import { TextLink } from './links.tsx'

const { counted: texts } = sharedTexts

/** The lists of what reports count. */
export type CountedList = 'clicks' | 'referrals' | 'sales' | 'commissions'

/** The filters that these lists share; without days, of any time. */
export interface CountedIn {
  from?: string | undefined
  until?: string | undefined
  campaign_id?: number | undefined
  affiliate_id?: number | undefined
  source?: ExploreSource | undefined
  source_value?: string | undefined
}

/** A list, and the filters that select what a number counts. */
export interface CountedRows {
  list: CountedList
  search: CountedIn
}

/** From a number to the rows that it counts. */
export function CountedLink({
  list,
  search,
  children,
  hasTooltip = false,
  ...fromTooltip
}: CountedRows & {
  children: ReactNode
  /** Then the tooltip describes it. */
  hasTooltip?: boolean
  className?: string
  ref?: Ref<HTMLAnchorElement>
}) {
  const counted = { ...search, is_counted: true } as const
  const shared = {
    ...fromTooltip,
    inherit: true,
    title: hasTooltip ? undefined : texts[list],
    children,
  }
  if (list === 'referrals')
    return <TextLink to="/$account/referrals" search={{ ...counted, status: 'all' }} {...shared} />
  if (list === 'commissions') return <TextLink to="/$account/commissions" search={counted} {...shared} />
  return <TextLink to={`/$account/explore/${list}`} search={counted} {...shared} />
}
