import { Alert, Button, ColorInput, Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import type { PortalSettings } from '@tributary/contract/dashboard'
import { isReadableOnWhite, readableOn, textOn } from '@tributary/contract/portal/brand-colour'
import { useState } from 'react'
import { useChange, useMay } from '../shared/account.tsx'
import { fieldError } from '../shared/field-error.ts'
import { isColour, linesOf } from './portal-fields.ts'

const customers = [
  { value: 'masked', label: 'In part: j•••@e•••' },
  { value: 'hidden', label: 'Not at all' },
  { value: 'full', label: 'In full' },
]

export function PortalForm({ portal }: { portal: PortalSettings }) {
  const mayChange = useMay('settings')
  const [name, setName] = useState(portal.name ?? '')
  const [colour, setColour] = useState(portal.colour)
  const [domain, setDomain] = useState(portal.domain ?? '')
  const [terms, setTerms] = useState(portal.terms_url ?? '')
  const [origins, setOrigins] = useState(portal.frame_origins.join('\n'))
  const [shown, setShown] = useState<string>(portal.customers_shown)
  const save = useChange('updatePortal', { done: 'Saved.', isQuiet: true })
  const problem = (field: string) => fieldError(save.error, field)
  const named = ['name', 'colour', 'domain', 'terms_url', 'frame_origins']
  const hasPlace = named.some(field => problem(field))
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        save.mutate({
          body: {
            name: name.trim() || null,
            colour,
            domain: domain.trim() || null,
            terms_url: terms.trim() || null,
            frame_origins: linesOf(origins),
            customers_shown: shown as PortalSettings['customers_shown'],
          },
        })
      }}
    >
      <fieldset disabled={!mayChange} style={{ border: 0, margin: 0, padding: 0 }}>
        <Stack>
          {save.error && !hasPlace && (
            <Alert color="red" role="alert" variant="light">
              {save.error.message}
            </Alert>
          )}
          <TextInput
            label="Name"
            placeholder={portal.account_name}
            maxLength={100}
            value={name}
            onChange={event => setName(event.currentTarget.value)}
            error={problem('name')}
          />
          <ColorInput
            label="Colour"
            format="hex"
            value={colour}
            onChange={setColour}
            error={problem('colour')}
            eyeDropperButtonProps={{ 'aria-label': 'Pick a colour from the screen' }}
          />
          <ColourCheck colour={colour} />
          <TextInput
            label="Domain of your own"
            description="Such as partners.example.com. Point it to this service, and let your proxy hold its certificate."
            value={domain}
            onChange={event => setDomain(event.currentTarget.value)}
            error={problem('domain')}
          />
          <TextInput
            label="Link to your terms"
            type="url"
            value={terms}
            onChange={event => setTerms(event.currentTarget.value)}
            error={problem('terms_url')}
          />
          <Textarea
            label="Pages that may show the portal in a frame"
            description="One origin on a line, such as https://app.example.com. Without any, nobody may."
            autosize
            minRows={2}
            value={origins}
            onChange={event => setOrigins(event.currentTarget.value)}
            error={problem('frame_origins')}
          />
          <Select
            label="What affiliates see of customers"
            data={customers}
            value={shown}
            onChange={value => value && setShown(value)}
            allowDeselect={false}
          />
          {mayChange && (
            <Group>
              <Button type="submit" loading={save.isPending} disabled={!isColour(colour)}>
                Save
              </Button>
            </Group>
          )}
        </Stack>
      </fieldset>
    </form>
  )
}

/** How the colour will look, and what is done where it could not be read. */
function ColourCheck({ colour }: { colour: string }) {
  if (!isColour(colour)) return null
  const used = readableOn('#ffffff', colour)
  return (
    <Group gap="sm">
      <span
        style={{
          background: used,
          color: textOn(used),
          padding: '8px 16px',
          borderRadius: 8,
          fontWeight: 600,
        }}
      >
        A button
      </span>
      <Text size="sm" style={{ flex: 1, minWidth: 200 }}>
        {isReadableOnWhite(colour)
          ? 'Easy to read.'
          : `Too light to be read on white, so buttons and links use ${used}, the nearest that can be.`}
      </Text>
    </Group>
  )
}
