import type { AffiliateEvent } from '@tributary/contract/dashboard'

/** An affiliate in a list to choose from. */
export const nameOf = ({ name, email }: { name: string | null; email: string }) =>
  name ? `${name} (${email})` : email

/** What an event of the timeline is about, where its title does not say it. */
export function aboutOf(
  event: Pick<AffiliateEvent, 'kind' | 'customer_ref' | 'campaign_name'>,
): string | null {
  if (event.kind === 'commission' && event.customer_ref)
    return `${event.customer_ref}, ${event.campaign_name}`
  return event.kind === 'joined' || event.kind === 'enrolled' ? null : event.campaign_name
}
