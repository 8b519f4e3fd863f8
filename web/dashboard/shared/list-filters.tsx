import { Box, Button, Pill, Select, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import type { CampaignSummary, ExploreSource } from '@tributary/contract/dashboard'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useAccount, useCall } from './account.tsx'
import { texts } from './en.ts'
import { sourceName } from './source-name.ts'

/** The filters of a list, in a grid that is collapsed on a phone. */
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
        style={{ verticalAlign: 'middle' }}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {texts.filters.filters(used)}
      </Button>
      <Box
        mb="md"
        visibleFrom={isOpen ? undefined : 'sm'}
        style={{
          display: 'grid',
          gap: '8px 12px',
          gridTemplateColumns: 'repeat(auto-fill, minmax(140px, 1fr))',
        }}
      >
        {children}
        {used > 0 && (
          <Button
            variant="subtle"
            px="xs"
            style={{ alignSelf: 'end', justifySelf: 'start' }}
            onClick={onClear}
          >
            {texts.filters.clear}
          </Button>
        )}
      </Box>
    </>
  )
}

/** A filter whose values need two columns of the grid. */
export const Wide = ({ children }: { children: ReactNode }) => (
  <div style={{ gridColumn: 'span 2' }}>{children}</div>
)

/** A filter's value and its setter; undefined is no filter. */
interface Bound<T> {
  value: T | undefined
  onChange: (value: T | undefined) => void
}

/** One of a few values, or any. */
export function ChoiceFilter<T extends string | number | boolean>({
  label,
  placeholder = texts.filters.any,
  options,
  value,
  onChange,
}: Bound<T> & { label: string; placeholder?: string; options: readonly { value: T; label: string }[] }) {
  return (
    <Select
      label={label}
      placeholder={placeholder}
      data={options.map(option => ({ ...option, value: String(option.value) }))}
      value={value === undefined ? null : String(value)}
      onChange={chosen => onChange(options.find(option => String(option.value) === chosen)?.value)}
      clearable
      clearButtonProps={{ 'aria-label': texts.filters.clearOne(label) }}
    />
  )
}

const MOST_CAMPAIGNS = 200

/** The campaigns of the account, for a select. */
export const useCampaigns = () =>
  useCall('listCampaigns', { query: { limit: MOST_CAMPAIGNS } }).data?.data ?? []

/** The same for what concerns money, which archived campaigns may still owe; they come last and are marked. */
export function useAllCampaigns() {
  const all =
    useCall('listCampaigns', { query: { limit: MOST_CAMPAIGNS, include_archived: true } }).data?.data ?? []
  const isArchived = ({ status }: CampaignSummary) => status === 'archived'
  return [
    ...all.filter(campaign => !isArchived(campaign)),
    ...all.filter(isArchived).map(campaign => ({ ...campaign, name: texts.filters.archived(campaign.name) })),
  ]
}

/** An archived campaign is offered only while it is the filter's value: a link from its page sets it. */
export function CampaignFilter(bound: Bound<number>) {
  const options = useAllCampaigns()
    .filter(({ id, status }) => status !== 'archived' || id === bound.value)
    .map(({ id, name }) => ({ value: id, label: name }))
  return <ChoiceFilter label={texts.filters.campaign} options={options} {...bound} />
}

const TYPING_MS = 300

/** A text filter that is applied while typing; on Enter or blur only if it matches complete values. */
export function TextFilter({
  label,
  placeholder,
  isExact = false,
  value: current = '',
  onChange,
}: Bound<string> & { label: string; placeholder: string; isExact?: boolean }) {
  const [text, setText] = useState(current)
  const applied = useRef(current)
  // A link or "Clear filters" replaces the text. Our own change must not: more may have been typed since.
  useEffect(() => {
    if (current === applied.current) return
    applied.current = current
    setText(current)
  }, [current])
  const apply = (typed: string) => {
    if (typed.trim() === applied.current) return
    applied.current = typed.trim()
    onChange(typed.trim() || undefined)
  }
  const applySoon = useDebouncedCallback(apply, TYPING_MS)
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        apply(text)
      }}
    >
      <TextInput
        label={label}
        placeholder={placeholder}
        value={text}
        maxLength={100}
        onChange={event => {
          const typed = event.currentTarget.value
          setText(typed)
          if (!isExact) applySoon(typed)
        }}
        onBlur={() => apply(text)}
      />
    </form>
  )
}

/** What is typed to search the list. */
export const SearchFilter = ({ hint, ...bound }: Bound<string> & { hint: string }) => (
  <Wide>
    <TextFilter label={texts.filters.search} placeholder={hint} {...bound} />
  </Wide>
)

const DayFilter = ({ label, title, value, onChange }: Bound<string> & { label: string; title: string }) => (
  <TextInput
    type="date"
    label={label}
    title={title}
    value={value ?? ''}
    onChange={event => onChange(event.currentTarget.value || undefined)}
  />
)

/** Days in the account's time zone, which their tooltip names: the dates in the list are in the browser's. */
export function DayFilters({ from, until }: { from: Bound<string>; until: Bound<string> }) {
  const title = texts.filters.dayZone(useAccount().time_zone)
  return (
    <>
      <DayFilter label={texts.filters.from} title={title} {...from} />
      <DayFilter label={texts.filters.to} title={title} {...until} />
    </>
  )
}

/** A filter that a link from another page sets; here it can only be removed. */
export function FixedFilter<T extends number | true>({
  label,
  value,
  onChange,
}: Bound<T> & { label: string }) {
  if (value === undefined) return null
  return (
    <Pill
      size="lg"
      mb="sm"
      mr="xs"
      // On a phone it shares its line with the button that opens the other filters.
      style={{ verticalAlign: 'middle' }}
      withRemoveButton
      onRemove={() => onChange(undefined)}
      removeButtonProps={{
        'aria-label': texts.filters.clearOne(label),
        'aria-hidden': false,
        tabIndex: 0,
      }}
    >
      {value === true ? label : `${label} ${value}`}
    </Pill>
  )
}

/** One source, which a number leads from. `label` is its name if the server has one; a link has no other but its page. */
export function SourceFilter({
  source,
  source_value,
  label,
  onClear,
}: {
  source: ExploreSource
  source_value: string
  label?: string | null | undefined
  onClear: () => void
}) {
  // A link is its campaign, affiliate and page: without their names, the page is shown.
  const shown = label ?? (source === 'link' ? source_value.replace(/^\d+ \d+ /, '') : source_value)
  const value = sourceName(source, shown)
  return (
    <FixedFilter label={texts.sources.one(texts.sources.names[source], value)} value onChange={onClear} />
  )
}
