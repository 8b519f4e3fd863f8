import type { AffiliateEvent } from '@tributary/contract/dashboard'
import { texts } from './en.ts'

/** An affiliate as a select option. Two affiliates may have the same name. */
export const nameOf = ({ name, email }: { name: string | null; email: string }) =>
  name ? `${name} (${email})` : email

/** What an event is about, where its title does not say it. */
export function aboutOf(
  event: Pick<AffiliateEvent, 'kind' | 'customer_ref' | 'campaign_name'>,
): string | null {
  if (event.kind === 'commission' && event.customer_ref)
    return texts.activity.about(event.customer_ref, event.campaign_name)
  return event.kind === 'joined' || event.kind === 'enrolled' ? null : event.campaign_name
}
