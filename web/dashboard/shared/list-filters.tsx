import { Box, Button, Pill, Select, TextInput } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import { useCall } from './account.tsx'

/** The filters of a list, in a grid that folds away on a phone until they are asked for. */
export function FilterBar({
  used,
  onClear,
  children,
}: {
  /** How many of the filters are set. */
  used: number
  onClear: () => void
  children: ReactNode
}) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        hiddenFrom="sm"
        variant="default"
        size="xs"
        mb="sm"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {used > 0 ? `Filters (${used})` : 'Filters'}
      </Button>
      <Box
        mb="md"
        visibleFrom={isOpen ? undefined : 'sm'}
        style={{
          display: 'grid',
          gap: '8px 12px',
          gridTemplateColumns: 'repeat(auto-fill, minmax(132px, 1fr))',
        }}
      >
        {children}
        {used > 0 && (
          <Button variant="subtle" style={{ alignSelf: 'end', justifySelf: 'start' }} onClick={onClear}>
            Clear filters
          </Button>
        )}
      </Box>
    </>
  )
}

/** A filter whose values are too long for one place in the grid. */
export const Wide = ({ children }: { children: ReactNode }) => (
  <div style={{ gridColumn: 'span 2' }}>{children}</div>
)

/** A filter's value, and how it changes; undefined is no filter. */
interface Bound<T> {
  value: T | undefined
  onChange: (value: T | undefined) => void
}

/** One of a few values, or any. */
export function ChoiceFilter<T extends string | number | boolean>({
  label,
  options,
  value,
  onChange,
}: Bound<T> & { label: string; options: readonly { value: T; label: string }[] }) {
  return (
    <Select
      label={label}
      placeholder="Any"
      data={options.map(option => ({ ...option, value: String(option.value) }))}
      value={value === undefined ? null : String(value)}
      onChange={chosen => onChange(options.find(option => String(option.value) === chosen)?.value)}
      clearable
      clearButtonProps={{ 'aria-label': `Clear ${label}` }}
    />
  )
}

const MOST_CAMPAIGNS = 200

/** The campaigns of the account, for choosing one. */
export const useCampaigns = () =>
  useCall('listCampaigns', { query: { limit: MOST_CAMPAIGNS } }).data?.data ?? []

export function CampaignFilter(bound: Bound<number>) {
  const options = useCampaigns().map(({ id, name }) => ({ value: id, label: name }))
  return <ChoiceFilter label="Campaign" options={options} {...bound} />
}

/** A text that is looked for as a whole: when it is entered, not at every letter. */
export function TextFilter({
  label,
  placeholder,
  value: current = '',
  onChange,
}: Bound<string> & { label: string; placeholder: string }) {
  const [text, setText] = useState(current)
  useEffect(() => setText(current), [current])
  const apply = () => {
    if (text.trim() !== current) onChange(text.trim() || undefined)
  }
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        apply()
      }}
    >
      <TextInput
        label={label}
        placeholder={placeholder}
        value={text}
        maxLength={255}
        onChange={event => setText(event.currentTarget.value)}
        onBlur={apply}
      />
    </form>
  )
}

const DayFilter = ({ label, value, onChange }: Bound<string> & { label: string }) => (
  <TextInput
    type="date"
    label={label}
    value={value ?? ''}
    onChange={event => onChange(event.currentTarget.value || undefined)}
  />
)

export const DayFilters = ({ from, until }: { from: Bound<string>; until: Bound<string> }) => (
  <>
    <DayFilter label="From" {...from} />
    <DayFilter label="Until" {...until} />
  </>
)

/** A filter that comes with a link from elsewhere, and can only be taken away here. */
export function FixedFilter({ label, value, onChange }: Bound<number> & { label: string }) {
  if (value === undefined) return null
  return (
    <Pill
      size="lg"
      mb="sm"
      withRemoveButton
      onRemove={() => onChange(undefined)}
      removeButtonProps={{
        'aria-label': `Show every ${label.toLowerCase()}`,
        'aria-hidden': false,
        tabIndex: 0,
      }}
    >
      {label} {value}
    </Pill>
  )
}
