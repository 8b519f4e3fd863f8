import type { AuditEntry, AuditedObject } from '@tributary/contract/dashboard'
import { subjectPage } from './audit-text.ts'
import { texts } from './en.ts'

/** The name of an object, linked to its page. */
export interface Mention {
  text: string
  page: string | undefined
}

type Kind = AuditedObject['kind']

const { kinds } = texts

const pages: Partial<Record<Kind, (id: number) => string>> = {
  affiliate: id => `affiliates/${id}`,
  campaign: id => `campaigns/${id}`,
  referral: id => `referrals/${id}`,
  commission: id => `commissions/${id}`,
  payout: id => `payouts/${id}`,
  webhook_endpoint: () => 'webhooks',
  delivery: id => `webhooks/deliveries/${id}`,
  api_key: () => 'settings/api-keys',
  member: () => 'settings/team',
  email: () => 'settings/mail',
  creative: () => 'creatives',
}

/** Objects without a name: the number says which one, and the name what it is about. */
const numbered: ReadonlySet<Kind> = new Set<Kind>(['commission', 'payout', 'payment', 'delivery'])

/** An object by its name; by its number if it no longer exists. */
export function mentionOf(entry: Pick<AuditEntry, 'objects'>, kind: Kind, id: number): Mention {
  const found = entry.objects.find(object => object.kind === kind && object.id === id)
  const name = found && (numbered.has(kind) ? texts.numbered(kinds[kind], id, found.name) : found.name)
  return { text: name ?? texts.unnamed(kinds[kind], id), page: found && pages[kind]?.(id) }
}

/** A name in the details, of an object that may be deleted by now. */
const nameIn = ({ details }: Pick<AuditEntry, 'details'>) =>
  [details.url, details.email, details.name].find(each => typeof each === 'string')

export const MOST_SUBJECTS = 3

/** What the entry is about: one object, or the rows of a bulk action. */
export function subjectsOf(entry: AuditEntry): Mention[] {
  const { action, subject_id: id, subject_kind: kind, details } = entry
  const { ids } = details
  if (kind && Array.isArray(ids))
    return ids.slice(0, MOST_SUBJECTS).map(each => mentionOf(entry, kind, Number(each)))
  const page = subjectPage(entry)
  const [noun] = action.split('.')
  const place = Object.hasOwn(texts.places, String(noun))
    ? texts.places[noun as keyof typeof texts.places]
    : undefined
  if (kind && id !== null) {
    const mention = mentionOf(entry, kind, id)
    const isNamed = entry.objects.some(object => object.kind === kind && object.id === id)
    return [isNamed ? mention : { text: String(nameIn(entry) ?? mention.text), page }]
  }
  if (noun === 'team') return [{ text: String(nameIn(entry) ?? texts.places.team), page: 'settings/team' }]
  return place ? [{ text: place, page }] : []
}
