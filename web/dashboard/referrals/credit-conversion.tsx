import { useNavigate } from '@tanstack/react-router'
import type { UnattributedConversion } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { useCall, useChange, usePath } from '../shared/account.tsx'
import { AssignmentForm, type Chosen } from './assignment-form.tsx'
import { texts as areaTexts } from './en.ts'

const texts = areaTexts.credit

/** Credits an unattributed conversion to an affiliate, after showing what that does. */
export function CreditConversion({
  conversion,
  onClose,
}: {
  conversion: UnattributedConversion
  onClose: () => void
}) {
  const [chosen, setChosen] = useState<Chosen>({ affiliate: undefined, campaign: conversion.campaign_id })
  const navigate = useNavigate()
  const path = usePath()
  const request = {
    conversion_id: conversion.id,
    campaign_id: chosen.campaign,
    affiliate_id: chosen.affiliate ?? 0,
  }
  const preview = useCall(
    'creditConversion',
    { body: { ...request, dry_run: true } },
    { enabled: chosen.affiliate !== undefined },
  )
  const credit = useChange('creditConversion', {
    isQuiet: true,
    done: texts.done,
    onDone: ({ id }) => {
      onClose()
      if (id !== null) void navigate({ to: path(`referrals/${id}`) })
    },
  })
  return (
    <AssignmentForm
      label={texts.title}
      title={texts.title}
      final={texts.final}
      submit={texts.submit}
      chosen={chosen}
      onChoose={setChosen}
      preview={preview}
      change={credit}
      onSubmit={confirmed => credit.mutate({ body: { ...request, ...confirmed, dry_run: false } })}
      onClose={onClose}
    />
  )
}
