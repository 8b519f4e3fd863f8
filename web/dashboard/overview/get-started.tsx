import { Button, Code, CopyButton, Group, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { FirstSteps } from '@tributary/contract/dashboard'
import type { Permission } from '@tributary/contract/dashboard/permissions'
import { CheckIcon } from '../../ui/icons.tsx'
import { useAccount, useMay, usePath } from '../shared/account.tsx'
import { texts as sharedTexts } from '../shared/en.ts'
import { useCampaigns } from '../shared/list-filters.tsx'
import { texts } from './en.ts'

interface Step {
  is: keyof FirstSteps
  title: string
  text: string
  /** The page where it's done, and the permission it takes. */
  place?: { page: string; permission: Permission }
  action?: string
  /** Code to copy. */
  snippet?: string
  copy?: string
}

const { steps: stepTexts } = texts.getStarted

const stepsOf = (origin: string, slug: string, campaignId: number): Step[] => [
  { is: 'campaign', ...stepTexts.campaign, place: { page: 'campaigns/new', permission: 'programme' } },
  { is: 'affiliate', ...stepTexts.affiliate, place: { page: 'affiliates', permission: 'programme' } },
  { is: 'api_key', ...stepTexts.api_key, place: { page: 'settings/api-keys', permission: 'settings' } },
  { is: 'tracker', ...stepTexts.tracker, snippet: stepTexts.tracker.snippet(origin, slug) },
  { is: 'conversion', ...stepTexts.conversion, snippet: stepTexts.conversion.snippet(origin, campaignId) },
]

/** The checklist of a new account. Completed from the account's data, and hidden after the first conversion. */
export function GetStarted({ done }: { done: FirstSteps }) {
  const { slug } = useAccount()
  const campaignId = useCampaigns()[0]?.id ?? 1
  const steps = stepsOf(window.location.origin, slug, campaignId)
  const finished = steps.filter(({ is }) => done[is]).length
  const next = steps.find(({ is }) => !done[is])?.is
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="get-started">
      <Group justify="space-between" mb="md">
        <Title order={2} size="h4" id="get-started">
          {texts.getStarted.title}
        </Title>
        <Text size="sm" c="dimmed" role="status">
          {texts.getStarted.progress(finished, steps.length)}
        </Text>
      </Group>
      <Stack gap="lg" component="ol" style={{ listStyle: 'none', margin: 0, padding: 0 }}>
        {steps.map((step, index) => (
          <StepLine
            key={step.is}
            step={step}
            number={index + 1}
            isDone={done[step.is]}
            isNext={step.is === next}
          />
        ))}
      </Stack>
    </Paper>
  )
}

interface LineProps {
  step: Step
  number: number
  isDone: boolean
  isNext: boolean
}

function StepLine({
  step: { title, text, place, action, snippet, copy },
  number,
  isDone,
  isNext,
}: LineProps) {
  const path = usePath()
  const may = useMay(place?.permission ?? 'read')
  return (
    <Group component="li" wrap="nowrap" align="flex-start" gap="md">
      <ThemeIcon radius="xl" size={28} variant={isDone ? 'filled' : isNext ? 'outline' : 'default'} mt={2}>
        {isDone ? <CheckIcon size={16} /> : <Text size="sm">{number}</Text>}
      </ThemeIcon>
      <Stack gap={4} flex={1} miw={0}>
        <Text fw={600}>
          {title}
          {isDone && (
            <Text span c="dimmed" fw={400} size="sm">
              {' '}
              {texts.getStarted.done}
            </Text>
          )}
        </Text>
        <Text size="sm" c="dimmed">
          {text}
        </Text>
        {!isDone && place && may && (
          <Button
            component={Link}
            to={path(place.page)}
            size="xs"
            mt={4}
            variant={isNext ? 'filled' : 'light'}
            w="fit-content"
          >
            {action}
          </Button>
        )}
        {!isDone && snippet && <Snippet text={snippet} label={copy} />}
      </Stack>
    </Group>
  )
}

function Snippet({ label, text }: { label: string | undefined; text: string }) {
  return (
    <Stack gap={6} mt={4} align="flex-start">
      <Code block maw="100%" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {text}
      </Code>
      <CopyButton value={text} timeout={1500}>
        {({ copied, copy }) => (
          <Button size="xs" variant="light" color={copied ? 'teal' : undefined} onClick={copy}>
            {copied ? sharedTexts.actions.copied : label}
          </Button>
        )}
      </CopyButton>
    </Stack>
  )
}
