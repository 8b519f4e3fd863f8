import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useCall } from '../shared/account.tsx'
import { nameOf } from './affiliate-words.ts'

/** Finds an affiliate by a few letters of the name or the address; the server searches, however many there are. */
export function AffiliatePicker({
  value,
  onChange,
  required,
  label = 'Affiliate',
}: {
  value: number | undefined
  onChange: (id: number | undefined) => void
  required?: boolean
  label?: string
}) {
  const [text, setText] = useState('')
  const [sought] = useDebouncedValue(text.trim(), 250)
  const chosen = useCall('getAffiliate', { id: value ?? 0 }, { enabled: value !== undefined }).data
  const chosenName = chosen && nameOf(chosen)
  // What is shown after choosing is no search of its own.
  const q = sought && sought !== chosenName ? sought.slice(0, 100) : undefined
  const found = useCall('listAffiliates', { query: { q, limit: 20 } })
  const options = (found.data?.data ?? []).map(each => ({ value: String(each.id), label: nameOf(each) }))
  if (chosen && !options.some(option => option.value === String(chosen.id)))
    options.unshift({ value: String(chosen.id), label: nameOf(chosen) })
  return (
    <Select
      label={label}
      placeholder={required ? 'Name or email' : 'Any'}
      data={options}
      value={value === undefined ? null : String(value)}
      onChange={id => onChange(id === null ? undefined : Number(id))}
      searchable
      onSearchChange={setText}
      filter={({ options: all }) => all}
      nothingFoundMessage={found.isFetching ? 'Searching…' : 'Nobody of that name or email'}
      clearable={!required}
      clearButtonProps={{ 'aria-label': `Clear ${label}` }}
      required={required}
      maxDropdownHeight={280}
    />
  )
}
