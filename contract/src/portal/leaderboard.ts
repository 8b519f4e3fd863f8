import { type Static, Type } from 'typebox'
import { Count, Currency, closed, Day, nullable, OneLine, oneOf, SumMinor } from '../fields.ts'

/** What a leaderboard can rank by. */
export const leaderboardOrders = ['conversions', 'commissions'] as const

/** How an affiliate is named to others; hidden until they choose. */
export const leaderboardNames = ['hidden', 'name', 'nickname'] as const

/** The first places of the current month, and the affiliate's own if they have one. */
export const Leaderboard = closed({
  by: oneOf(leaderboardOrders),
  from: Day,
  to: Day,
  /** Of commissions: the currency with the most, in which they are compared. */
  currency: nullable(Currency),
  rows: Type.Array(
    closed({
      place: Count,
      /** Null of an affiliate who is hidden. */
      name: nullable(Type.String()),
      is_me: Type.Boolean(),
      /** Conversions, or an amount in minor units. Null unless it is their own or the company shows everyone's. */
      value: nullable(SumMinor),
    }),
  ),
  shown_as: oneOf(leaderboardNames),
  nickname: nullable(Type.String()),
})
export type Leaderboard = Static<typeof Leaderboard>

export const LeaderboardName = closed({
  shown_as: oneOf(leaderboardNames),
  nickname: Type.Optional(nullable(OneLine(40))),
})
