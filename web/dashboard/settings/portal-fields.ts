import type { PortalSettings } from '@tributary/contract/dashboard'
import { changedFields } from '../shared/changed-fields.ts'

export const isColour = (text: string) => /^#[0-9a-f]{6}$/i.test(text)

/** The non-empty lines of a text, trimmed. */
export const linesOf = (text: string) =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean)

/** The initial values of the form. */
export const fieldsOfPortal = (
  portal: Pick<
    PortalSettings,
    | 'name'
    | 'colour'
    | 'domain'
    | 'terms_url'
    | 'frame_origins'
    | 'customers_shown'
    | 'leaderboard'
    | 'leaderboard_numbers'
  >,
) => ({
  name: portal.name ?? '',
  colour: portal.colour,
  domain: portal.domain ?? '',
  terms_url: portal.terms_url ?? '',
  frame_origins: portal.frame_origins.join('\n'),
  customers_shown: portal.customers_shown,
  leaderboard: portal.leaderboard,
  leaderboard_numbers: portal.leaderboard_numbers,
})
export type PortalFields = ReturnType<typeof fieldsOfPortal>

const settingsOf = (fields: PortalFields) => ({
  ...fields,
  name: fields.name.trim() || null,
  domain: fields.domain.trim() || null,
  terms_url: fields.terms_url.trim() || null,
  frame_origins: linesOf(fields.frame_origins),
})

/** The request body of an update. */
export const changesOfPortal = (before: PortalFields, after: PortalFields) =>
  changedFields(settingsOf(before), settingsOf(after))
