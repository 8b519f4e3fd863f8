import { Button, Code, CopyButton, Group, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { FirstSteps } from '@tributary/contract/dashboard'
import type { Permission } from '@tributary/contract/dashboard/permissions'
import { CheckIcon } from '../../ui/icons.tsx'
import { useAccount, useMay, usePath } from '../shared/account.tsx'
import { useCampaigns } from '../shared/list-filters.tsx'

interface Step {
  is: keyof FirstSteps
  title: string
  text: string
  /** Where it is done, and who may. */
  place?: { page: string; label: string; permission: Permission }
  /** What to take elsewhere. */
  snippet?: { label: string; text: string }
}

const stepsOf = (origin: string, slug: string, campaignId: number): Step[] => [
  {
    is: 'campaign',
    title: 'Create a campaign',
    text: 'What you pay, for which sales, for how long, and where links lead.',
    place: { page: 'campaigns/new', label: 'Create a campaign', permission: 'programme' },
  },
  {
    is: 'affiliate',
    title: 'Add an affiliate',
    text: 'Somebody who recommends you. Each has a link and, if you like, a coupon code.',
    place: { page: 'affiliates', label: 'Add an affiliate', permission: 'programme' },
  },
  {
    is: 'api_key',
    title: 'Create an API key',
    text: 'Your backend reports conversions, sales and refunds with it.',
    place: { page: 'settings/api-keys', label: 'Create a key', permission: 'settings' },
  },
  {
    is: 'tracker',
    title: 'Put the tracking script on your pages',
    text: 'It remembers which link a visitor came by. Done as soon as the first visitor arrives with it.',
    snippet: {
      label: 'Copy script',
      text: `<script src="${origin}/tracker.js" data-account="${slug}" async></script>`,
    },
  },
  {
    is: 'conversion',
    title: 'Send a first conversion',
    text: 'From your backend, when a visitor becomes a customer. A test counts too; $KEY is your API key.',
    snippet: {
      label: 'Copy command',
      text: [
        `curl ${origin}/ingest/v1/conversions -u "$KEY:" -H "Content-Type: application/json" \\`,
        `  -d '{"campaign_id": ${campaignId}, "customer_ref": "customer-1", "token": "your-affiliate", "is_test": true}'`,
      ].join('\n'),
    },
  },
]

/** What to do in a new account. It ticks itself off from what is there, and goes when the first conversion arrives. */
export function FirstStepsCard({ done }: { done: FirstSteps }) {
  const { slug } = useAccount()
  const campaignId = useCampaigns()[0]?.id ?? 1
  const steps = stepsOf(window.location.origin, slug, campaignId)
  const finished = steps.filter(({ is }) => done[is]).length
  const next = steps.find(({ is }) => !done[is])?.is
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="first-steps">
      <Group justify="space-between" mb="md">
        <Title order={2} size="h4" id="first-steps">
          First steps
        </Title>
        <Text size="sm" c="dimmed" role="status">
          {finished} of {steps.length} done
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

function StepLine({ step: { title, text, place, snippet }, number, isDone, isNext }: LineProps) {
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
              done
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
            {place.label}
          </Button>
        )}
        {!isDone && snippet && <Snippet {...snippet} />}
      </Stack>
    </Group>
  )
}

function Snippet({ label, text }: { label: string; text: string }) {
  return (
    <Stack gap={6} mt={4} align="flex-start">
      <Code block maw="100%" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {text}
      </Code>
      <CopyButton value={text} timeout={1500}>
        {({ copied, copy }) => (
          <Button size="xs" variant="light" color={copied ? 'teal' : undefined} onClick={copy}>
            {copied ? 'Copied' : label}
          </Button>
        )}
      </CopyButton>
    </Stack>
  )
}
