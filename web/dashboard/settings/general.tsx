import { Autocomplete, Button, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { AccountSettings } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { usualCurrencies } from '../campaigns/campaign-fields.ts'
import { useCall, useChange, useMay } from '../shared/account.tsx'
import { CodeText } from '../shared/code-text.tsx'
import { texts as shared } from '../shared/en.ts'
import { FactList } from '../shared/fact-list.tsx'
import { Copy } from '../shared/facts.tsx'
import { fieldError } from '../shared/field-error.ts'
import { queryKeys } from '../shared/query-keys.ts'
import { ErrorNotice } from '../shared/states.tsx'
import { TimeZoneSelect } from '../shared/time-zone-select.tsx'
import { texts } from './en.ts'
import { SettingsCard, SettingsSection } from './settings-section.tsx'

const { general: labels } = texts

export function GeneralSettings() {
  const account = useCall('getAccount')
  return (
    <SettingsSection title={texts.sections.general} note={labels.note}>
      {account.isPending && <Skeleton height={160} role="status" aria-label={shared.states.loading} />}
      {account.isError && <ErrorNotice error={account.error} retry={() => void account.refetch()} />}
      {account.data && <GeneralForm key={JSON.stringify(account.data)} account={account.data} />}
    </SettingsSection>
  )
}

function GeneralForm({ account }: { account: AccountSettings }) {
  const mayChange = useMay('settings')
  const queries = useQueryClient()
  const [name, setName] = useState(account.name)
  const [zone, setZone] = useState(account.time_zone)
  const [site, setSite] = useState(account.site_url ?? '')
  const [currency, setCurrency] = useState(account.reporting_currency ?? '')
  // Only what was changed: a colleague may have saved the other field in the meantime.
  const changes = {
    ...(name.trim() !== account.name && { name: name.trim() }),
    ...(zone !== account.time_zone && { time_zone: zone }),
    ...(site.trim() !== (account.site_url ?? '') && { site_url: site.trim() || null }),
    ...(currency.trim() !== (account.reporting_currency ?? '') && {
      reporting_currency: currency.trim() || null,
    }),
  }
  const save = useChange('updateAccount', {
    done: labels.saved,
    // Every page shows the name, and reports the zone.
    onDone: () => void queries.invalidateQueries({ queryKey: queryKeys.session() }),
  })
  return (
    <SettingsCard>
      <form
        onSubmit={event => {
          event.preventDefault()
          save.mutate({ body: changes })
        }}
      >
        <Stack>
          <TextInput
            label={labels.name}
            value={name}
            onChange={event => setName(event.currentTarget.value)}
            readOnly={!mayChange}
            maxLength={255}
            required
          />
          <TimeZoneSelect
            description={labels.timeZone}
            current={account.time_zone}
            value={zone}
            onChange={value => value && setZone(value)}
            readOnly={!mayChange}
          />
          <Autocomplete
            label={labels.currency}
            description={labels.currencyHint}
            placeholder={labels.currencyExample}
            data={usualCurrencies}
            value={currency}
            onChange={code => setCurrency(code.toUpperCase())}
            readOnly={!mayChange}
            maxLength={3}
            error={fieldError(save.error, 'reporting_currency')}
          />
          <TextInput
            label={labels.site}
            description={labels.siteHint}
            placeholder={labels.siteExample}
            type="url"
            value={site}
            onChange={event => setSite(event.currentTarget.value)}
            readOnly={!mayChange}
            maxLength={2048}
            error={fieldError(save.error, 'site_url')}
          />
          <FactList
            facts={[
              [
                labels.slug,
                <Copy key="slug" value={account.slug} label={labels.copySlug}>
                  <code>{account.slug}</code>
                </Copy>,
              ],
              [labels.id, String(account.id)],
            ]}
          />
          <Text size="xs" c="dimmed">
            <CodeText>{labels.slugNote(account.slug)}</CodeText>
          </Text>
          {mayChange && (
            <Group>
              <Button
                type="submit"
                loading={save.isPending}
                disabled={name.trim() === '' || Object.keys(changes).length === 0}
              >
                {shared.actions.save}
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </SettingsCard>
  )
}
