import type { Signal } from '@tributary/contract/dashboard'

/** Which rows are behind a signal's numbers, and their filters: the clicks of its day or campaign, or what was earned in it. */
export function signalRows({
  kind,
  affiliate_id,
  campaign_id,
  parts,
}: Pick<Signal, 'kind' | 'affiliate_id' | 'campaign_id' | 'parts'>) {
  const filters = { affiliate_id, ...(campaign_id !== null && { campaign_id }) }
  switch (kind) {
    case 'click_velocity':
    case 'paid_search': {
      const day = parts.find(({ fact }) => fact === 'clicks_in_day')?.text
      return { clicks: { ...filters, is_counted: true, ...(day && { from: day, until: day }) } } as const
    }
    case 'conversion_rate':
    case 'instant_sales':
      return { referrals: { ...filters, status: 'all' } } as const
    default:
      return {}
  }
}
