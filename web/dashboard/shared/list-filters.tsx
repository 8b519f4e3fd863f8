import { Box, Button, Pill, Select, TextInput } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import { useCall } from './account.tsx'
import { useFilters } from './url-state.ts'

/** The filters of a list, in a grid that folds away on a phone until they are asked for. */
export function FilterBar({ names, children }: { names: string[]; children: ReactNode }) {
  const [filters, setFilters] = useFilters()
  const [isOpen, setOpen] = useState(false)
  const used = names.filter(name => filters[name]).length
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
          <Button
            variant="subtle"
            style={{ alignSelf: 'end', justifySelf: 'start' }}
            onClick={() => setFilters(Object.fromEntries(names.map(name => [name, undefined])))}
          >
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

/** One of a few values, or any. */
export function ChoiceFilter({
  label,
  name,
  options,
}: {
  label: string
  name: string
  options: { value: string; label: string }[]
}) {
  const [filters, setFilters] = useFilters()
  return (
    <Select
      label={label}
      placeholder="Any"
      data={options}
      value={filters[name] ?? null}
      onChange={value => setFilters({ [name]: value ?? undefined })}
      clearable
      clearButtonProps={{ 'aria-label': `Clear ${label}` }}
    />
  )
}

const MOST_CAMPAIGNS = 200

/** The campaigns of the account, for choosing one. */
export const useCampaigns = () =>
  useCall('listCampaigns', { query: { limit: MOST_CAMPAIGNS } }).data?.data ?? []

export function CampaignFilter() {
  const options = useCampaigns().map(({ id, name }) => ({ value: String(id), label: name }))
  return <ChoiceFilter label="Campaign" name="campaign_id" options={options} />
}

/** A text that is looked for as a whole: when it is entered, not at every letter. */
export function TextFilter({
  label,
  name,
  placeholder,
}: {
  label: string
  name: string
  placeholder: string
}) {
  const [filters, setFilters] = useFilters()
  const current = filters[name] ?? ''
  const [text, setText] = useState(current)
  useEffect(() => setText(current), [current])
  const apply = () => {
    if (text.trim() !== current) setFilters({ [name]: text.trim() })
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

function DayFilter({ label, name }: { label: string; name: string }) {
  const [filters, setFilters] = useFilters()
  return (
    <TextInput
      type="date"
      label={label}
      value={filters[name] ?? ''}
      onChange={event => setFilters({ [name]: event.currentTarget.value })}
    />
  )
}

export const DayFilters = () => (
  <>
    <DayFilter label="From" name="from" />
    <DayFilter label="Until" name="until" />
  </>
)

const startOfDay = (day: string | undefined, daysLater = 0): number | undefined => {
  if (!day || !/^\d{4}-\d\d-\d\d$/.test(day)) return undefined
  const moment = new Date(`${day}T00:00:00`)
  moment.setDate(moment.getDate() + daysLater)
  const time = moment.getTime()
  return Number.isNaN(time) ? undefined : time
}
const asTime = (time: number | undefined) => (time === undefined ? undefined : new Date(time).toISOString())

/** Whole days of the reader, both included, as the range of moments that calls take, both ends of which are exclusive. */
export function createdBetween({ from, until }: Record<string, string>) {
  const begin = startOfDay(from)
  return {
    created_after: asTime(begin === undefined ? undefined : begin - 1),
    created_before: asTime(startOfDay(until, 1)),
  }
}

/** A filter that comes with a link from elsewhere, and can only be taken away here. */
export function FixedFilter({ label, name }: { label: string; name: string }) {
  const [filters, setFilters] = useFilters()
  if (!filters[name]) return null
  return (
    <Pill
      size="lg"
      mb="sm"
      withRemoveButton
      onRemove={() => setFilters({ [name]: undefined })}
      removeButtonProps={{
        'aria-label': `Show every ${label.toLowerCase()}`,
        'aria-hidden': false,
        tabIndex: 0,
      }}
    >
      {label} {filters[name]}
    </Pill>
  )
}
