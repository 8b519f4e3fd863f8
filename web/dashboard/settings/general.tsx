import { Button, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { AccountSettings } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { useCall, useChange, useMay } from '../shared/account.tsx'
import { FactList } from '../shared/fact-list.tsx'
import { Copy } from '../shared/facts.tsx'
import { queryKeys } from '../shared/query-keys.ts'
import { ErrorNotice } from '../shared/states.tsx'
import { SettingsCard, SettingsSection } from './settings-section.tsx'

export function GeneralSettings() {
  const account = useCall('getAccount')
  return (
    <SettingsSection title="General" note="How your company appears, to affiliates too.">
      {account.isPending && <Skeleton height={160} aria-label="Loading" />}
      {account.isError && <ErrorNotice error={account.error} retry={() => void account.refetch()} />}
      {account.data && <GeneralForm key={account.data.name} account={account.data} />}
    </SettingsSection>
  )
}

function GeneralForm({ account }: { account: AccountSettings }) {
  const mayChange = useMay('settings')
  const queries = useQueryClient()
  const [name, setName] = useState(account.name)
  const save = useChange('updateAccount', {
    done: 'Saved.',
    // The name stands at the top of every page.
    onDone: () => void queries.invalidateQueries({ queryKey: queryKeys.session() }),
  })
  return (
    <SettingsCard>
      <form
        onSubmit={event => {
          event.preventDefault()
          save.mutate({ body: { name: name.trim() } })
        }}
      >
        <Stack>
          <TextInput
            label="Account name"
            value={name}
            onChange={event => setName(event.currentTarget.value)}
            readOnly={!mayChange}
            maxLength={255}
            required
          />
          <FactList
            facts={[
              [
                'Slug',
                <Copy key="slug" value={account.slug} label="Copy the slug">
                  <code>{account.slug}</code>
                </Copy>,
              ],
              ['Account id', String(account.id)],
            ]}
          />
          <Text size="xs" c="dimmed">
            The slug stands in every tracking link (<code>/r/{account.slug}/…</code>), so it stays as it is.
          </Text>
          {mayChange && (
            <Group>
              <Button
                type="submit"
                loading={save.isPending}
                disabled={name.trim() === '' || name.trim() === account.name}
              >
                Save
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </SettingsCard>
  )
}
