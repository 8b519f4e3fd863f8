import { Button, Code, CopyButton, Group, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Checklist } from '@tributary/contract/dashboard'
import type { Permission } from '@tributary/contract/dashboard/permissions'
import { CheckIcon } from '../../ui/icons.tsx'
import { useAccount, useCall, useChange, useMay, usePath } from '../shared/account.tsx'
import { texts as sharedTexts } from '../shared/en.ts'
import { texts } from './en.ts'
import { Received } from './received.tsx'

interface Step {
  is: keyof Checklist['done']
  title: string
  text: string
  /** The page where it's done, and the permission it takes. */
  place?: { page: string; permission: Permission }
  action?: string
  /** Code to copy. */
  snippet?: string | undefined
  copy?: string
}

const { steps: stepTexts } = texts.getStarted

/** Short enough to see a test conversion arrive. */
const LIVE_MS = 2000

const stepsOf = (origin: string, slug: string, { sample, script_url }: Checklist): Step[] => [
  { is: 'campaign', ...stepTexts.campaign, place: { page: 'campaigns/new', permission: 'programme' } },
  { is: 'affiliate', ...stepTexts.affiliate, place: { page: 'affiliates', permission: 'programme' } },
  { is: 'api_key', ...stepTexts.api_key, place: { page: 'settings/api-keys', permission: 'settings' } },
  {
    is: 'conversion',
    ...stepTexts.conversion,
    text: sample ? stepTexts.conversion.text(sample.affiliate_name) : stepTexts.conversion.noAffiliate,
    snippet: sample ? stepTexts.conversion.snippet(origin, sample) : undefined,
  },
  { is: 'payout', ...stepTexts.payout, place: { page: 'payouts/new', permission: 'money' } },
  { is: 'billing', ...stepTexts.billing, place: { page: 'billing', permission: 'settings' } },
  {
    is: 'tracker',
    ...stepTexts.tracker,
    place: { page: 'settings/tracking', permission: 'read' },
    snippet: stepTexts.tracker.snippet(script_url, slug),
  },
]

/** The checklist of a new account. Completed from the account's data, and shown until it is dismissed. */
export function GetStarted({ first }: { first: Checklist }) {
  const checklist = useCall('getChecklist', {}, { refetchInterval: LIVE_MS }).data ?? first
  const { slug } = useAccount()
  const mayDismiss = useMay('programme')
  const dismiss = useChange('dismissChecklist', { done: texts.getStarted.dismissed })
  const { done, received } = checklist
  const steps = stepsOf(window.location.origin, slug, checklist)
  const finished = steps.filter(({ is }) => done[is]).length
  const next = steps.find(({ is }) => !done[is])?.is
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="get-started">
      <Group justify="space-between" mb="md">
        <Title order={2} size="h4" id="get-started">
          {texts.getStarted.title}
        </Title>
        <Group gap="sm">
          <Text size="sm" c="dimmed" role="status">
            {texts.getStarted.progress(finished, steps.length)}
          </Text>
          {mayDismiss && (
            <Button
              size="xs"
              variant="default"
              loading={dismiss.isPending}
              onClick={() => dismiss.mutate({ body: {} })}
            >
              {texts.getStarted.dismiss}
            </Button>
          )}
        </Group>
      </Group>
      <Stack gap="lg" component="ol" style={{ listStyle: 'none', margin: 0, padding: 0 }}>
        {steps.map((step, index) => (
          <StepLine
            key={step.is}
            step={step}
            number={index + 1}
            isDone={done[step.is]}
            isNext={step.is === next}
            received={step.is === 'conversion' ? received : null}
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
  received: Checklist['received']
}

function StepLine({
  step: { is, title, text, place, action, snippet, copy },
  number,
  isDone,
  isNext,
  received,
}: LineProps) {
  const path = usePath()
  const may = useMay(place?.permission ?? 'read')
  // The sample stays: another test conversion is sent with it.
  const showsSnippet = snippet !== undefined && (!isDone || is === 'conversion')
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
        {received && <Received conversion={received} />}
        {showsSnippet && <Snippet text={snippet} label={copy} />}
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
