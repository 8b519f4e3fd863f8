import { Type } from 'typebox'
import { closed, oneOf } from '../fields.ts'
import { change, Done, read } from './schema.ts'

/** Weekly for the team, monthly for affiliates. */
export const digestKinds = ['team', 'affiliate'] as const
export type DigestKind = (typeof digestKinds)[number]

export const digestsSchemas = {
  getDigests: read(
    closed({
      team: Type.Boolean(),
      affiliate: Type.Boolean(),
      /** Whether the user gets the team's. */
      is_subscribed: Type.Boolean(),
    }),
  ),
  switchDigest: change(closed({ kind: oneOf(digestKinds), is_on: Type.Boolean() }), Done),
  subscribeToDigest: change(closed({ is_subscribed: Type.Boolean() }), Done),
  /** The team's with the figures of the last week; that of affiliates with sample figures. */
  previewDigest: read(
    closed({ subject: Type.String(), html: Type.String(), text: Type.String() }),
    closed({ kind: oneOf(digestKinds) }),
  ),
}
