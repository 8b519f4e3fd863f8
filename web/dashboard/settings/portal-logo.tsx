import { Alert, Button, FileButton, Group, Stack, Text, Title } from '@mantine/core'
import { useChange, useMay } from '../shared/account.tsx'
import { base64Of } from '../shared/base64-of.ts'
import { texts } from './en.ts'

const { portal: labels } = texts

export function PortalLogo({ logo, name }: { logo: string | null; name: string }) {
  const mayChange = useMay('settings')
  const save = useChange('setLogo', { done: labels.logoSaved, isQuiet: true })
  const remove = useChange('removeLogo', { done: labels.logoRemoved })
  const choose = async (file: File | null) => {
    if (file) save.mutate({ body: { logo: await base64Of(file) } })
  }
  return (
    <Stack gap="sm">
      <Title order={3} size="h5">
        {labels.logo}
      </Title>
      {logo ? (
        <img
          src={logo}
          alt={name}
          // Always on white, as the portal shows it.
          style={{
            maxHeight: 48,
            maxWidth: 240,
            padding: 4,
            borderRadius: 6,
            background: '#fff',
            objectFit: 'contain',
            alignSelf: 'flex-start',
          }}
        />
      ) : (
        <Text size="sm" c="dimmed">
          {labels.noLogo}
        </Text>
      )}
      {save.error && (
        <Alert color="red" role="alert" variant="light">
          {save.error.message}
        </Alert>
      )}
      {mayChange && (
        <Group>
          <FileButton onChange={choose} accept="image/png,image/jpeg,image/webp,image/svg+xml">
            {props => (
              <Button {...props} variant="default" loading={save.isPending}>
                {logo ? labels.replaceLogo : labels.uploadLogo}
              </Button>
            )}
          </FileButton>
          {logo && (
            <Button variant="subtle" color="red" loading={remove.isPending} onClick={() => remove.mutate({})}>
              {labels.removeLogo}
            </Button>
          )}
          <Text size="xs" c="dimmed">
            {labels.logoHint}
          </Text>
        </Group>
      )}
    </Stack>
  )
}
