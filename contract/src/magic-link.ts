import { type Static, Type } from 'typebox'
import { closed } from './fields.ts'

export const MagicLink = closed(
  {
    url: Type.String({ description: 'Link that signs the affiliate in to the portal; works once' }),
    expires_in: Type.Integer({ description: 'Seconds until the link expires', examples: [900] }),
  },
  { description: 'A single-use sign-in link to the partner portal.' },
)
export type MagicLink = Static<typeof MagicLink>
