import { type Static, type TSchema, Type } from 'typebox'
import { CommissionStatus } from '../commission.ts'
import { JoinForm, LONGEST_ANSWER, MOST_QUESTIONS } from '../dashboard/join-forms.ts'
import { allOf, BinaryFile, CsvFile, change, Done, pageOf, pageQuery, read } from '../dashboard/schema.ts'
import { Count, closed, Email, Id, Moment, nullable, OneLine } from '../fields.ts'
import { Home, homeQuery } from './home.ts'
import { Leaderboard, LeaderboardName } from './leaderboard.ts'
import {
  Creatives,
  Links,
  PortalCommission,
  PortalPayout,
  PortalReferral,
  PortalReferralDetail,
} from './lists.ts'
import { JoinableCampaign } from './look.ts'
import { Me } from './me.ts'
import type { PortalRouteId } from './routes.ts'

export { BinaryFile } from '../dashboard/schema.ts'
export * from './brand-colour.ts'
export * from './home.ts'
export * from './leaderboard.ts'
export * from './lists.ts'
export * from './look.ts'
export * from './me.ts'
export * from './routes.ts'

const Name = OneLine(255)
const joinKey = Type.Optional(Type.String({ minLength: 1, maxLength: 64 }))
const asOf = closed({ as_of: Type.Optional(Moment) })

/** A join form as it was filled in. */
const FilledForm = closed({
  version: Count,
  /** In the order of the questions; empty where nothing was answered. */
  answers: Type.Array(Type.String({ maxLength: LONGEST_ANSWER, format: 'plain-text' }), {
    maxItems: MOST_QUESTIONS,
  }),
  /** The version of the terms that was accepted; null if there were none. */
  terms_version: nullable(Count),
})
export type FilledForm = Static<typeof FilledForm>

export const portalSchemas = {
  requestSignInLink: change(closed({ email: Email }), Done),
  requestToJoin: change(
    closed({
      email: Email,
      name: Type.Optional(nullable(Name)),
      campaign_id: Id,
      /** From the join link; required for a private campaign. */
      join_key: joinKey,
      form: Type.Optional(FilledForm),
    }),
    Done,
  ),
  getJoinForm: read(JoinForm, closed({ join_key: joinKey })),

  getMe: read(Me),
  updateMe: change(closed({ name: nullable(Name) }), Me),
  changePayPal: change(closed({ paypal_email: nullable(Email) }), Me),
  changeLeaderboardName: change(LeaderboardName, Done),
  subscribeToDigest: change(closed({ is_subscribed: Type.Boolean() }), Me),
  signOut: change(closed({}), Done),
  signOutEverywhere: change(closed({}), Done),

  getHome: read(Home, homeQuery),
  getLeaderboard: read(closed({ leaderboard: nullable(Leaderboard) })),
  listLinks: read(Links),
  drawLink: read(BinaryFile, closed({ to: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })) })),
  listCreatives: read(Creatives),
  downloadCreative: read(BinaryFile),
  listReferrals: read(pageOf(PortalReferral), closed(pageQuery)),
  getReferral: read(PortalReferralDetail),
  listCommissions: read(
    pageOf(PortalCommission),
    closed({ ...pageQuery, status: Type.Optional(CommissionStatus), campaign_id: Type.Optional(Id) }),
  ),
  listPayouts: read(pageOf(PortalPayout), closed(pageQuery)),
  downloadStatement: read(CsvFile, asOf),
  printStatement: read(BinaryFile, asOf),

  listCampaigns: read(allOf(JoinableCampaign)),
  joinCampaign: change(closed({ form: Type.Optional(FilledForm) }), Done),
}

type Schemas = typeof portalSchemas
type StaticOf<S> = S extends TSchema ? Static<S> : Record<string, never>

export type PortalQuery<Id extends PortalRouteId> = StaticOf<Schemas[Id]['query']>
export type PortalBody<Id extends PortalRouteId> = StaticOf<Schemas[Id]['body']>
export type PortalResult<Id extends PortalRouteId> = StaticOf<Schemas[Id]['result']>
