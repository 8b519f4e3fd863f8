import type { Tx } from '../../db/database.ts'
import { newestRates, upsertRates } from '../../money/fx/fx-rate.store.ts'
import { anyAccountExists } from '../../programme/accounts/account.store.ts'
import { type Calendar, daysFrom, TODAY } from './calendar.ts'

const DAYS_APART = 5

/** Around a level, with a slow rise and fall: nothing random, so that the sample data stays the same. */
const pairs: { quote: string; level: number; swing: number }[] = [
  { quote: 'USD', level: 1.125, swing: 0.045 },
  { quote: 'GBP', level: 0.855, swing: 0.015 },
]

/**
 * Stores made-up rates of the year, each valid for a week as a published one. Rates are those of the installation: where it has
 * accounts or rates, nothing is stored, or real money would be converted with them. Returns whether they are stored.
 */
export async function storeRates(tx: Tx, calendar: Calendar): Promise<boolean> {
  if ((await anyAccountExists(tx)) || (await newestRates(tx)).length > 0) return false
  const days = [...daysFrom(0).filter(day => day % DAYS_APART === 0), TODAY]
  await upsertRates(
    tx,
    pairs.flatMap(({ quote, level, swing }) =>
      [...new Set(days)].map(day => ({
        base: 'EUR',
        quote,
        day: calendar.at(day, 0).slice(0, 10),
        rate: (level + swing * Math.sin(day / 45)).toFixed(4),
        source: 'demo',
      })),
    ),
  )
  return true
}
