import type { CampaignDetail } from '@tributary/contract/dashboard'
import { Money } from '../../ui/values.tsx'
import { FactList } from '../shared/fact-list.tsx'
import { Section } from '../shared/section.tsx'
import { RuleLines } from './campaign-rules.tsx'
import { texts } from './en.ts'

const { days, noHold, terms } = texts

/** The terms of a campaign, read-only. */
export function CampaignTerms({ campaign }: { campaign: CampaignDetail }) {
  return (
    <Section title={terms.title}>
      <FactList
        facts={[
          [terms.commission, <RuleLines key="rules" rules={campaign.rules} />],
          [terms.hold, campaign.hold_days === 0 ? noHold : days(campaign.hold_days)],
          [
            terms.attribution,
            terms.attributionText(campaign.attribution_model, campaign.attribution_window_days),
          ],
          [terms.review, campaign.review_referrals ? terms.reviewAll : terms.reviewSuspicious],
          [
            terms.paidSearch,
            campaign.forbids_paid_search ? terms.paidSearchForbidden : terms.paidSearchAllowed,
          ],
          [terms.pastConversions, campaign.look_back ? terms.lookBack : terms.noLookBack],
          [
            terms.minimum,
            <Money key="minimum" minor={campaign.minimum_payout_minor} currency={campaign.payout_currency} />,
          ],
          [terms.enrolment, campaign.open_enrollment ? terms.open : terms.inviteOnly],
          [terms.destination, campaign.destination_url ?? terms.noDestination],
        ]}
      />
    </Section>
  )
}
