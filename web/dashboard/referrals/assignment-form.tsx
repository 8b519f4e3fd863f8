import { Alert, Button, Group, Select, Stack, Text, Textarea, Title } from '@mantine/core'
import type { Assignment } from '@tributary/contract/dashboard'
import { type ReactNode, useState } from 'react'
import { AffiliatePicker } from '../affiliates/affiliate-picker.tsx'
import { texts as sharedTexts } from '../shared/en.ts'
import { useCampaigns } from '../shared/list-filters.tsx'
import { AssignmentPreview } from './assignment-preview.tsx'
import { texts as areaTexts } from './en.ts'

const texts = areaTexts.assignment
const { actions, fields } = sharedTexts

/** Who is to be credited, as far as it is chosen. */
export interface Chosen {
  affiliate: number | undefined
  campaign: number
}

/** The affiliate and campaign to credit, what that does, and why. Nothing can be submitted before its effect was shown. */
export function AssignmentForm({
  label,
  title,
  final,
  submit,
  chosen: { affiliate, campaign },
  wasInReview,
  onChoose,
  preview,
  change,
  onSubmit,
  onClose,
}: {
  label: string
  /** In a dialog that has a title, none. */
  title?: ReactNode
  /** Whether it can be undone. */
  final: string
  submit: string
  chosen: Chosen
  wasInReview?: boolean
  onChoose: (chosen: Chosen) => void
  preview: { data: Assignment | undefined; error: Error | null }
  change: { isPending: boolean; error: Error | null }
  onSubmit: (confirmed: { reason: string; digest: string }) => void
  onClose: () => void
}) {
  const [reason, setReason] = useState('')
  const campaigns = useCampaigns()
  const effect = affiliate === undefined ? undefined : preview.data
  return (
    <form
      aria-label={label}
      onSubmit={event => {
        event.preventDefault()
        if (effect) onSubmit({ reason, digest: effect.digest })
      }}
    >
      <Stack>
        {title && (
          <Title order={3} size="h5">
            {title}
          </Title>
        )}
        <Group align="flex-start" grow preventGrowOverflow={false}>
          <AffiliatePicker
            value={affiliate}
            onChange={id => onChoose({ affiliate: id, campaign })}
            required
          />
          <Select
            label={fields.campaign}
            data={campaigns.map(({ id, name }) => ({ value: String(id), label: name }))}
            value={String(campaign)}
            onChange={id => onChoose({ affiliate, campaign: Number(id) })}
            allowDeselect={false}
            required
          />
        </Group>
        <Text size="xs" c="dimmed">
          {texts.campaignHint}
        </Text>
        {effect && <AssignmentPreview effect={effect} wasInReview={wasInReview} />}
        {affiliate !== undefined && preview.error && <Alert color="red">{preview.error.message}</Alert>}
        <Textarea
          label={texts.reason}
          description={texts.reasonHint}
          value={reason}
          onChange={event => setReason(event.currentTarget.value)}
          maxLength={1000}
          autosize
          required
        />
        {change.error && <Alert color="red">{change.error.message}</Alert>}
        <Text size="sm">{final}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {actions.cancel}
          </Button>
          <Button type="submit" loading={change.isPending} disabled={!effect || reason.trim() === ''}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
