import type { AuditEntry, CampaignRule } from '@tributary/contract/dashboard'
import { auditedFields } from '@tributary/contract/dashboard/audited'
import { money, words } from '../../ui/format.ts'
import { ruleLine } from '../campaigns/rule-text.ts'
import { texts } from './en.ts'
import { type Mention, mentionOf } from './mentions.ts'

/** A field of an entry: its new value, and the previous one if it is known. */
export interface Change {
  field: string
  before: string | undefined
  after: string
  /** Instead of the value: the objects that it refers to. */
  mentions?: Mention[]
  /** How many more there are than mentioned. */
  more?: number
}

const MOST_MENTIONS = 3

const isRule = (value: unknown): value is CampaignRule =>
  typeof value === 'object' && value !== null && 'beneficiary' in value && 'entry_type' in value

/** A value as people read it. */
function valueText(field: string, value: unknown, currency: string | null | undefined): string {
  if (value === null || value === undefined || value === '') return texts.values.none
  if (typeof value === 'boolean') return value ? texts.values.yes : texts.values.no
  if (typeof value === 'number' && field.endsWith('_minor'))
    return currency ? money(value, currency) : texts.values.minorUnits(value)
  if (Array.isArray(value))
    return value.length === 0
      ? texts.values.none
      : value.map(each => (isRule(each) ? ruleLine(each) : valueText(field, each, currency))).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** What was changed, field by field. */
export function changesOf(entry: AuditEntry): Change[] {
  const { details } = entry
  // A sale's own, which may be another than its campaign's.
  const currency =
    typeof details.currency === 'string'
      ? details.currency
      : entry.objects.find(object => object.currency !== null)?.currency
  const previous = (details.before ?? {}) as Record<string, unknown>
  const valueBefore = (field: string) =>
    Object.hasOwn(previous, field) ? previous[field] : details[`${field}_before`]
  // The rows of a bulk action are its subject.
  const isOwn = (field: string) =>
    field !== 'before' && field !== 'ids' && !(field.endsWith('_before') && field.slice(0, -7) in details)
  return Object.entries(details)
    .filter(([field]) => isOwn(field))
    .map(([field, value]) => {
      const kind = Object.hasOwn(auditedFields, field) ? auditedFields[field] : undefined
      const ids = (Array.isArray(value) ? value : [value]).filter(each => typeof each === 'number')
      const before = valueBefore(field)
      return {
        field: texts.fields[field as keyof typeof texts.fields] ?? words(field.replace(/_(minor|ids?)$/, '')),
        before:
          before === undefined
            ? undefined
            : kind && typeof before === 'number'
              ? mentionOf(entry, kind, before).text
              : valueText(field, before, currency),
        after: valueText(field, value, currency),
        ...(kind &&
          ids.length > 0 && {
            mentions: ids.slice(0, MOST_MENTIONS).map(id => mentionOf(entry, kind, id)),
            more: Math.max(0, ids.length - MOST_MENTIONS),
          }),
      }
    })
}
