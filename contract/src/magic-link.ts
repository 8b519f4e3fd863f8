import { type Static, Type } from 'typebox'
import { closed } from './fields.ts'

export const MagicLink = closed(
  {
    url: Type.String({ description: 'Signs the affiliate in to the portal, once' }),
    expires_in: Type.Integer({ description: 'Seconds', examples: [900] }),
  },
  { description: 'A single-use sign-in link to the affiliate portal.' },
)
export type MagicLink = Static<typeof MagicLink>
