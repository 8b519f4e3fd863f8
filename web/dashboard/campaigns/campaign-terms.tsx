import type { CampaignDetail } from '@tributary/contract/dashboard'
import { words } from '../../ui/format.ts'
import { Money } from '../../ui/values.tsx'
import { FactList } from '../shared/fact-list.tsx'
import { Section } from '../shared/section.tsx'
import { RulesInWords } from './campaign-rules.tsx'

const days = (number: number) => (number === 1 ? '1 day' : `${number} days`)

/** The terms of a campaign for who may read them and not change them. */
export function CampaignTerms({ campaign }: { campaign: CampaignDetail }) {
  return (
    <Section title="Terms">
      <FactList
        facts={[
          ['Pays', <RulesInWords key="pays" rules={campaign.rules} />],
          ['Hold', campaign.hold_days === 0 ? 'None' : days(campaign.hold_days)],
          [
            'Credit',
            `${words(campaign.attribution_model)} within ${days(campaign.attribution_window_days)}; a coupon code beats clicks`,
          ],
          ['Review', campaign.review_referrals ? 'Every referral' : 'Suspicious referrals'],
          [
            'On approval',
            campaign.look_back ? 'Past conversions are credited' : 'Only new conversions are credited',
          ],
          [
            'Minimum payout',
            <Money key="minimum" minor={campaign.minimum_payout_minor} currency={campaign.payout_currency} />,
          ],
          ['Enrolment', campaign.open_enrollment ? 'Open: anyone with the join link' : 'By invitation'],
          ['Destination', campaign.destination_url ?? 'None yet: links lead nowhere'],
        ]}
      />
    </Section>
  )
}
