import { Text } from '@mantine/core'
import type { ListedCampaign } from '@tributary/contract/portal'
import { pages } from '@tributary/contract/portal/texts'
import { money } from '../../ui/format.ts'

/** A campaign's attribution window, hold, minimum payout and forbidden ads. */
export function CampaignTerms({ campaign }: { campaign: ListedCampaign }) {
  const { terms } = pages
  const sentences = [
    terms.window(campaign.attribution_window_days),
    terms.hold(campaign.hold_days),
    ...(campaign.minimum_payout_minor > 0
      ? [terms.minimum(money(campaign.minimum_payout_minor, campaign.payout_currency))]
      : []),
    ...(campaign.forbids_paid_search ? [terms.noPaidSearch] : []),
  ]
  return (
    <Text size="sm" c="dimmed">
      {sentences.join(' ')}
    </Text>
  )
}
