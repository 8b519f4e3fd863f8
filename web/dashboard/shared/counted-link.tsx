import type { ExploreSource } from '@tributary/contract/dashboard'
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

/** From a number to the rows that it counts. */
export function CountedLink({
  list,
  search,
  children,
}: {
  list: CountedList
  search: CountedIn
  children: string
}) {
  const counted = { ...search, is_counted: true } as const
  if (list === 'referrals')
    return (
      <TextLink
        to="/$account/referrals"
        search={{ ...counted, status: 'all' }}
        inherit
        title={texts.viewReferrals}
      >
        {children}
      </TextLink>
    )
  const [to, title] = {
    clicks: ['/$account/explore/clicks', texts.viewClicks] as const,
    sales: ['/$account/explore/sales', texts.viewSales] as const,
    commissions: ['/$account/commissions', texts.viewCommissions] as const,
  }[list]
  return (
    <TextLink to={to} search={counted} inherit title={title}>
      {children}
    </TextLink>
  )
}
