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
import { changesOfPortal, fieldsOfPortal, isColour, type PortalFields } from './portal-fields.ts'

const { portal: labels } = texts

export function PortalForm({ portal }: { portal: PortalSettings }) {
  // A change made elsewhere resets the form.
  return <Form key={JSON.stringify(fieldsOfPortal(portal))} portal={portal} />
}

function Form({ portal }: { portal: PortalSettings }) {
  const mayChange = useMay('settings')
  const before = fieldsOfPortal(portal)
  const [fields, setFields] = useState(before)
  const set = (changed: Partial<PortalFields>) => setFields(now => ({ ...now, ...changed }))
  const changes = changesOfPortal(before, fields)
  const save = useChange('updatePortal', { done: labels.saved, isQuiet: true })
  const problem = (field: string) => fieldError(save.error, field)
  const fieldNames = ['name', 'colour', 'domain', 'terms_url', 'frame_origins']
  const isShownByField = fieldNames.some(field => problem(field))
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        save.mutate({ body: changes })
      }}
    >
      <fieldset disabled={!mayChange || save.isPending} style={{ border: 0, margin: 0, padding: 0 }}>
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
            value={fields.name}
            onChange={event => set({ name: event.currentTarget.value })}
            error={problem('name')}
          />
          <ColorInput
            label={labels.colour}
            format="hex"
            value={fields.colour}
            onChange={colour => set({ colour })}
            error={problem('colour')}
            eyeDropperButtonProps={{ 'aria-label': labels.pickColour }}
          />
          <ColourCheck colour={fields.colour} />
          <TextInput
            label={labels.domain}
            description={labels.domainHint}
            value={fields.domain}
            onChange={event => set({ domain: event.currentTarget.value })}
            error={problem('domain')}
          />
          <TextInput
            label={labels.terms}
            type="url"
            value={fields.terms_url}
            onChange={event => set({ terms_url: event.currentTarget.value })}
            error={problem('terms_url')}
          />
          <Textarea
            label={labels.origins}
            description={labels.originsHint}
            autosize
            minRows={2}
            value={fields.frame_origins}
            onChange={event => set({ frame_origins: event.currentTarget.value })}
            error={problem('frame_origins')}
          />
          <Select
            label={labels.customers}
            data={optionsOf(labels.customerOptions)}
            value={fields.customers_shown}
            onChange={shown => shown && set({ customers_shown: shown as PortalFields['customers_shown'] })}
            allowDeselect={false}
          />
          <Select
            label={labels.leaderboard}
            description={labels.leaderboardHint}
            data={optionsOf(labels.leaderboardOptions)}
            value={fields.leaderboard ?? 'off'}
            onChange={value =>
              set({ leaderboard: value === 'conversions' || value === 'commissions' ? value : null })
            }
            allowDeselect={false}
          />
          {fields.leaderboard && (
            <Switch
              label={labels.leaderboardNumbers}
              checked={fields.leaderboard_numbers}
              onChange={event => set({ leaderboard_numbers: event.currentTarget.checked })}
            />
          )}
          {mayChange && (
            <Group>
              <Button
                type="submit"
                loading={save.isPending}
                disabled={!isColour(fields.colour) || Object.keys(changes).length === 0}
              >
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
