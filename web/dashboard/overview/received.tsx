import { Alert } from '@mantine/core'
import type { ReceivedConversion } from '@tributary/contract/dashboard'
import { money } from '../../ui/format.ts'
import { TextLink } from '../shared/links.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { texts } from './en.ts'

const { received: labels } = texts.getStarted

/** The newest conversion, announced as it arrives: who was credited and has earned what, or that no one was and where to see why. */
export function Received({
  conversion: { referral_id, affiliate_name, customer_ref, commission_minor, commission_currency },
}: {
  conversion: ReceivedConversion
}) {
  return (
    <Alert
      role="status"
      variant="light"
      color={referral_id === null ? 'yellow' : 'teal'}
      title={
        referral_id === null
          ? labels.notCredited(customer_ref)
          : labels.credited(affiliate_name ?? customer_ref)
      }
      py="xs"
    >
      {referral_id === null ? (
        <TextLink to="/$account/referrals" search={{ view: 'unattributed' }} inherit underline="always">
          {labels.why}
        </TextLink>
      ) : (
        <>
          {commission_minor !== null && commission_currency !== null && (
            <>{labels.earned(money(commission_minor, commission_currency))} </>
          )}
          <PageLink to={`referrals/${referral_id}`} inText>
            {labels.open}
          </PageLink>
        </>
      )}
    </Alert>
  )
}
