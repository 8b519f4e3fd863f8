import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useCall } from '../shared/account.tsx'
import { texts as shared } from '../shared/en.ts'
import { nameOf } from './affiliate-text.ts'
import { texts } from './en.ts'

/** Selects an affiliate by part of the name or email. The server searches, so any number of affiliates works. */
export function AffiliatePicker({
  value,
  onChange,
  required,
  label = shared.fields.affiliate,
}: {
  value: number | undefined
  onChange: (id: number | undefined) => void
  required?: boolean
  label?: string
}) {
  const [text, setText] = useState('')
  const [searched] = useDebouncedValue(text.trim(), 250)
  const chosen = useCall('getAffiliate', { id: value ?? 0 }, { enabled: value !== undefined }).data
  const chosenName = chosen && nameOf(chosen)
  // The name shown after a selection is not a search.
  const q = searched && searched !== chosenName ? searched.slice(0, 100) : undefined
  const found = useCall('listAffiliates', { query: { q, limit: 20 } })
  const options = (found.data?.data ?? []).map(each => ({ value: String(each.id), label: nameOf(each) }))
  if (chosen && !options.some(option => option.value === String(chosen.id)))
    options.unshift({ value: String(chosen.id), label: nameOf(chosen) })
  return (
    <Select
      label={label}
      placeholder={required ? texts.picker.hint : shared.filters.any}
      data={options}
      value={value === undefined ? null : String(value)}
      onChange={id => onChange(id === null ? undefined : Number(id))}
      searchable
      onSearchChange={setText}
      filter={({ options: all }) => all}
      nothingFoundMessage={found.isFetching ? texts.picker.searching : texts.picker.noMatch}
      clearable={!required}
      clearButtonProps={{ 'aria-label': shared.filters.clearOne(label) }}
      required={required}
    />
  )
}
