import { Modal } from '@mantine/core'
import type { ReferralDetail } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { useCall, useChange } from '../shared/account.tsx'
import { texts as sharedTexts } from '../shared/en.ts'
import { AssignmentForm, type Chosen } from './assignment-form.tsx'
import { texts as areaTexts } from './en.ts'

const texts = areaTexts.reassign

/** Credits a referral to another affiliate, or in another campaign, after showing what that does to the commissions. */
export function ReassignReferral({ referral, onClose }: { referral: ReferralDetail; onClose: () => void }) {
  const [chosen, setChosen] = useState<Chosen>({ affiliate: undefined, campaign: referral.campaign_id })
  const request = { campaign_id: chosen.campaign, affiliate_id: chosen.affiliate ?? 0 }
  const preview = useCall(
    'reassignReferral',
    { id: referral.id, body: { ...request, dry_run: true } },
    { enabled: chosen.affiliate !== undefined },
  )
  const reassign = useChange('reassignReferral', { isQuiet: true, done: texts.done, onDone: onClose })
  return (
    <Modal
      opened
      onClose={onClose}
      title={texts.title}
      size="lg"
      closeButtonProps={{ 'aria-label': sharedTexts.actions.close }}
    >
      <AssignmentForm
        label={texts.title}
        final={texts.final}
        submit={texts.submit}
        chosen={chosen}
        wasInReview={referral.status === 'pending_review'}
        onChoose={setChosen}
        preview={preview}
        change={reassign}
        onSubmit={confirmed =>
          reassign.mutate({ id: referral.id, body: { ...request, ...confirmed, dry_run: false } })
        }
        onClose={onClose}
      />
    </Modal>
  )
}
