import type { SearchResults } from '@tributary/contract/dashboard'
import type { Permission } from '@tributary/contract/dashboard/permissions'
import { money } from '../../ui/format.ts'
import { settingsSections } from '../shared/settings-sections.ts'
import { texts } from './en.ts'
import { places } from './places.ts'

/** What choosing an item does: opens a page of the account, or runs a command. */
export type Target =
  | { page: string }
  | { search: 'affiliates' | 'referrals'; text: string }
  | { endpoint: number }
  | { sale: string }
  | { guide: string }
  | { docs: string }
  | { command: Command }
export type Command = 'sign-out' | 'theme' | 'docs' | `account ${string}`

export interface PaletteItem {
  id: string
  label: string
  note?: string
  target: Target
}

export interface PaletteGroup {
  label: string
  items: PaletteItem[]
}

const { search: labels } = texts
const guides = Object.entries(texts.guides)

const actions: { id: string; label: string; page: string; needs: Permission }[] = [
  { id: 'new-payout', label: labels.newPayout, page: 'payouts/new', needs: 'money' },
  { id: 'new-campaign', label: labels.newCampaign, page: 'campaigns/new', needs: 'programme' },
  { id: 'import', label: labels.importAffiliates, page: 'affiliates/import', needs: 'programme' },
  { id: 'team', label: labels.inviteMember, page: 'settings/team', needs: 'team' },
  { id: 'endpoint', label: labels.addEndpoint, page: 'webhooks', needs: 'settings' },
  { id: 'api-key', label: labels.createApiKey, page: 'settings/api-keys', needs: 'settings' },
  { id: 'billing-source', label: labels.connectBilling, page: 'billing', needs: 'settings' },
]

/** A section of Settings, and each setting in it. */
function settingsOf({ path, label }: (typeof settingsSections)[number]): PaletteItem[] {
  const target = { page: `settings/${path}` }
  return [
    { id: `settings-${path}`, label, target },
    ...texts.settings[path].map(name => ({
      id: `settings-${path}-${name.replaceAll(/\W+/g, '-')}`,
      label: name,
      note: label,
      target,
    })),
  ]
}

/** From this length on, the server is searched too, and up to this one. */
export const SHORTEST_SEARCH = 2
export const LONGEST_SEARCH = 100

const holds = (label: string, text: string) => label.toLowerCase().includes(text.toLowerCase())

function found({ affiliates, customers, sales, payouts, endpoints }: SearchResults): PaletteGroup[] {
  return [
    {
      label: labels.affiliates,
      items: affiliates.map(({ id, name, email }) => ({
        id: `affiliate-${id}`,
        label: name ?? email,
        ...(name && { note: email }),
        target: { page: `affiliates/${id}` },
      })),
    },
    {
      label: labels.customers,
      items: customers.map(({ id, customer_ref, customer_email, campaign_name }) => ({
        id: `customer-${id}`,
        label: customer_ref,
        note: labels.customerNote(customer_email, campaign_name),
        target: { page: `referrals/${id}` },
      })),
    },
    {
      label: labels.sales,
      items: sales.map(({ id, external_id, referral_id, amount_minor, currency }) => ({
        id: `sale-${id}`,
        label: external_id,
        note: money(amount_minor, currency),
        // The list of sales explains unattributed ones. Its search takes a beginning of the ID.
        target:
          referral_id === null
            ? { sale: external_id.slice(0, LONGEST_SEARCH) }
            : { page: `referrals/${referral_id}` },
      })),
    },
    {
      label: labels.payouts,
      items: payouts.map(({ id, campaign_name, total_minor, currency }) => ({
        id: `payout-${id}`,
        label: labels.payout(id),
        note: labels.payoutNote(campaign_name, money(total_minor, currency)),
        target: { page: `payouts/${id}` },
      })),
    },
    {
      label: labels.endpoints,
      items: endpoints.map(({ id, url }) => ({ id: `endpoint-${id}`, label: url, target: { endpoint: id } })),
    },
  ]
}

/** The items that match the text, by group. Without a text: all pages and actions. */
export function paletteGroups(
  text: string,
  context: {
    may: (permission: Permission) => boolean
    otherTheme: 'light' | 'dark'
    /** The other accounts of the user. */
    accounts: { name: string; slug: string }[]
    results: SearchResults | undefined
  },
): PaletteGroup[] {
  const matching = (items: PaletteItem[]) => items.filter(({ label }) => holds(label, text))
  const lists: PaletteItem[] =
    text.length < SHORTEST_SEARCH
      ? []
      : [
          { id: 'all-affiliates', label: labels.allAffiliates(text), target: { search: 'affiliates', text } },
          { id: 'all-customers', label: labels.allCustomers(text), target: { search: 'referrals', text } },
          { id: 'all-docs', label: labels.allDocs(text), target: { docs: text } },
        ]
  const groups: PaletteGroup[] = [
    ...(context.results ? found(context.results) : []),
    {
      label: texts.pages.label,
      items: matching(places.map(({ path, label }) => ({ id: path, label, target: { page: path } }))),
    },
    {
      label: texts.pages.settings,
      // Without a text, the page that leads to them is enough.
      items:
        text === ''
          ? []
          : matching(
              settingsSections.filter(({ permission }) => context.may(permission)).flatMap(settingsOf),
            ),
    },
    {
      label: labels.actions,
      items: matching([
        ...actions
          .filter(({ needs }) => context.may(needs))
          .map(({ id, label, page }) => ({ id, label, target: { page } })),
        { id: 'theme', label: texts.theme(context.otherTheme), target: { command: 'theme' } },
        { id: 'docs', label: labels.docs, target: { command: 'docs' } },
        { id: 'sign-out', label: texts.account.signOut, target: { command: 'sign-out' } },
      ]),
    },
    {
      label: labels.docs,
      items:
        text === ''
          ? []
          : matching(
              guides.map(([name, label]) => ({ id: `guide-${name}`, label, target: { guide: name } })),
            ),
    },
    {
      label: texts.account.all,
      items: matching(
        context.accounts.map(({ name, slug }) => ({
          id: `account-${slug}`,
          label: name,
          target: { command: `account ${slug}` },
        })),
      ),
    },
    { label: labels.lists, items: lists },
  ]
  return groups.filter(({ items }) => items.length > 0)
}
