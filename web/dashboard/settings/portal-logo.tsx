import { Alert, Button, FileButton, Group, Stack, Text, Title } from '@mantine/core'
import { useChange, useMay } from '../shared/account.tsx'

/** A file in base 64, without what browsers put before it. */
const base64Of = (file: File) =>
  new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).split(',')[1] ?? '')
    reader.onerror = () => reject(new Error('The file could not be read.'))
    reader.readAsDataURL(file)
  })

export function PortalLogo({ logo, name }: { logo: string | null; name: string }) {
  const mayChange = useMay('settings')
  const save = useChange('setLogo', { done: 'The logo is set.', isQuiet: true })
  const remove = useChange('removeLogo', { done: 'The logo is gone.' })
  const choose = async (file: File | null) => {
    if (file) save.mutate({ body: { logo: await base64Of(file) } })
  }
  return (
    <Stack gap="sm">
      <Title order={3} size="h5">
        Logo
      </Title>
      {logo ? (
        <img
          src={logo}
          alt={name}
          // On white whatever the theme, as the portal shows it.
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
          Without a logo, your name stands in its place.
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
                {logo ? 'Choose another' : 'Choose a picture'}
              </Button>
            )}
          </FileButton>
          {logo && (
            <Button variant="subtle" color="red" loading={remove.isPending} onClick={() => remove.mutate({})}>
              Remove
            </Button>
          )}
          <Text size="xs" c="dimmed">
            PNG, JPEG, WebP or SVG, at most 256 KiB.
          </Text>
        </Group>
      )}
    </Stack>
  )
}
