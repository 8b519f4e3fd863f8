import { Alert, Stack, Text } from '@mantine/core'
import { useMay } from '../shared/account.tsx'
import { CodeText } from '../shared/code-text.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { texts } from './en.ts'

const { contact: labels } = texts

/** Why no email can be sent, and what to do about it. */
export function NoEmail({ instead }: { instead: string }) {
  const mayConfigure = useMay('settings')
  return (
    <Alert color="yellow" variant="light" title={labels.noEmail}>
      <Stack gap="xs">
        <Text size="sm">{instead}</Text>
        <Text size="sm">
          <CodeText>{labels.noEmailSetUp}</CodeText>{' '}
          {mayConfigure && (
            <PageLink to="settings/mail" inText>
              {labels.emailSettings}
            </PageLink>
          )}
        </Text>
      </Stack>
    </Alert>
  )
}
