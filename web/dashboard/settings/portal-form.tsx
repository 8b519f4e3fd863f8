import {
  Alert,
  Button,
  ColorInput,
  Group,
  Select,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import type { PortalSettings } from '@tributary/contract/dashboard'
import { isReadableOnWhite, readableOn, textOn } from '@tributary/contract/portal/brand-colour'
import { useState } from 'react'
import { useChange, useMay } from '../shared/account.tsx'
import { texts as shared } from '../shared/en.ts'
import { fieldError } from '../shared/field-error.ts'
import { optionsOf } from '../shared/options.ts'
import { texts } from './en.ts'
import { isColour, linesOf } from './portal-fields.ts'

const { portal: labels } = texts

export function PortalForm({ portal }: { portal: PortalSettings }) {
  const mayChange = useMay('settings')
  const [name, setName] = useState(portal.name ?? '')
  const [colour, setColour] = useState(portal.colour)
  const [domain, setDomain] = useState(portal.domain ?? '')
  const [terms, setTerms] = useState(portal.terms_url ?? '')
  const [origins, setOrigins] = useState(portal.frame_origins.join('\n'))
  const [shown, setShown] = useState<string>(portal.customers_shown)
  const [board, setBoard] = useState<PortalSettings['leaderboard']>(portal.leaderboard)
  const [hasNumbers, setNumbers] = useState(portal.leaderboard_numbers)
  const save = useChange('updatePortal', { done: labels.saved, isQuiet: true })
  const problem = (field: string) => fieldError(save.error, field)
  const fieldNames = ['name', 'colour', 'domain', 'terms_url', 'frame_origins']
  const isShownByField = fieldNames.some(field => problem(field))
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
            leaderboard: board,
            leaderboard_numbers: hasNumbers,
          },
        })
      }}
    >
      <fieldset disabled={!mayChange} style={{ border: 0, margin: 0, padding: 0 }}>
        <Stack>
          {save.error && !isShownByField && (
            <Alert color="red" role="alert" variant="light">
              {save.error.message}
            </Alert>
          )}
          <TextInput
            label={labels.name}
            placeholder={portal.account_name}
            maxLength={100}
            value={name}
            onChange={event => setName(event.currentTarget.value)}
            error={problem('name')}
          />
          <ColorInput
            label={labels.colour}
            format="hex"
            value={colour}
            onChange={setColour}
            error={problem('colour')}
            eyeDropperButtonProps={{ 'aria-label': labels.pickColour }}
          />
          <ColourCheck colour={colour} />
          <TextInput
            label={labels.domain}
            description={labels.domainHint}
            value={domain}
            onChange={event => setDomain(event.currentTarget.value)}
            error={problem('domain')}
          />
          <TextInput
            label={labels.terms}
            type="url"
            value={terms}
            onChange={event => setTerms(event.currentTarget.value)}
            error={problem('terms_url')}
          />
          <Textarea
            label={labels.origins}
            description={labels.originsHint}
            autosize
            minRows={2}
            value={origins}
            onChange={event => setOrigins(event.currentTarget.value)}
            error={problem('frame_origins')}
          />
          <Select
            label={labels.customers}
            data={optionsOf(labels.customerOptions)}
            value={shown}
            onChange={value => value && setShown(value)}
            allowDeselect={false}
          />
          <Select
            label={labels.leaderboard}
            description={labels.leaderboardHint}
            data={optionsOf(labels.leaderboardOptions)}
            value={board ?? 'off'}
            onChange={value => setBoard(value === 'conversions' || value === 'commissions' ? value : null)}
            allowDeselect={false}
          />
          {board && (
            <Switch
              label={labels.leaderboardNumbers}
              checked={hasNumbers}
              onChange={event => setNumbers(event.currentTarget.checked)}
            />
          )}
          {mayChange && (
            <Group>
              <Button type="submit" loading={save.isPending} disabled={!isColour(colour)}>
                {shared.actions.save}
              </Button>
            </Group>
          )}
        </Stack>
      </fieldset>
    </form>
  )
}

/** A preview of the colour, and the replacement where its contrast is too low. */
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
        {labels.sampleButton}
      </span>
      <Text size="sm" style={{ flex: 1, minWidth: 200 }}>
        {isReadableOnWhite(colour) ? labels.readable : labels.unreadableColour(used)}
      </Text>
    </Group>
  )
}
