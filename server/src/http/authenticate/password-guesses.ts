import type { FastifyRequest } from 'fastify'
import type { Db } from '../../db/database.ts'
import { networkOf, siteOf } from '../../kit/address.ts'
import { emailKey } from '../../kit/email.ts'
import type { Rank } from '../../kit/ranked-turns.ts'
import { findUserByEmail, type UserRow } from '../../programme/accounts/account.store.ts'
import { isPasswordOf } from '../../programme/team/sign-in.ts'
import type { CountGuesses, Guess, Guesses } from './guess-limit.ts'
import type { KnownBrowsers } from './known-browsers.ts'
import { tooManyAttempts } from './rate-limited.ts'

const QUARTER_HOUR_MS = 15 * 60_000

interface Admitted {
  rank: Rank
  /** Takes back the count of the guess, which was correct, or was never verified. */
  forgive(): void
}

/**
 * Rate-limits password guesses. A browser that the user has signed in with before has its own limit, which others cannot use up.
 * Unknown browsers are counted by network, and by user across networks; once a user's limit is used up, a network still has a few
 * guesses at that user unless it has failed there itself. So guessing from one place locks no one out elsewhere, and a distributed
 * attack gets only a few guesses per place.
 */
export class PasswordGuesses {
  readonly #db: Db
  readonly #browsers: KnownBrowsers
  readonly #byBrowser: Guesses
  readonly #byAddress: Guesses
  readonly #bySite: Guesses
  readonly #byPerson: Guesses
  readonly #byPersonAndSite: Guesses

  constructor(db: Db, browsers: KnownBrowsers, countGuesses: CountGuesses) {
    this.#db = db
    this.#browsers = browsers
    this.#byBrowser = countGuesses('passwords by browser', 10, QUARTER_HOUR_MS)
    this.#byAddress = countGuesses('passwords by address', 20)
    this.#bySite = countGuesses('passwords by site', 200)
    this.#byPerson = countGuesses('passwords by person', 10)
    this.#byPersonAndSite = countGuesses('passwords by person and site', 3, QUARTER_HOUR_MS)
  }

  /** The user with this email if the password is correct. Counted before it is verified, so that concurrent guesses cannot exceed the limit. */
  async check(request: FastifyRequest, email: string, password: string): Promise<UserRow | undefined> {
    const admitted =
      (await this.#admitBrowser(request, email)) ?? (await this.#admitStranger(request.ip, emailKey(email)))
    try {
      const user = await findUserByEmail(this.#db, email)
      const isCorrect = await isPasswordOf(user, password, admitted.rank)
      if (!isCorrect) return undefined
      admitted.forgive()
      return user
    } catch (error) {
      admitted.forgive()
      throw error
    }
  }

  async #admitBrowser(request: FastifyRequest, email: string): Promise<Admitted | undefined> {
    const browser = this.#browsers.read(request)
    const user = browser && (await findUserByEmail(this.#db, email))
    if (!user || !this.#browsers.isOf(browser, user)) return undefined
    const guess = await this.#byBrowser.begin(browser.id)
    if (!guess.admitted) return undefined
    return { rank: 'known', forgive: () => this.#byBrowser.forgive(browser.id, guess) }
  }

  async #admitStranger(address: string, person: string): Promise<Admitted> {
    const [network, site] = [networkOf(address), siteOf(address)]
    const counted: (() => void)[] = []
    const forgive = () => {
      for (const takeBack of counted) takeBack()
    }
    const begin = async (guesses: Guesses, name: string): Promise<Guess> => {
      const guess = await guesses.begin(name)
      if (guess.admitted) counted.push(() => guesses.forgive(name, guess))
      return guess
    }
    // A network over its limit is counted nowhere else: it must not use up a user's guesses or fill the counters.
    const ofAddress = await begin(this.#byAddress, network)
    const ofSite = ofAddress.admitted ? await begin(this.#bySite, site) : ofAddress
    const ofBoth = ofSite.admitted ? await begin(this.#byPersonAndSite, `${person} ${site}`) : ofSite
    const ofPerson = ofSite.admitted ? await begin(this.#byPerson, person) : ofSite
    if (!ofBoth.admitted && !ofPerson.admitted) {
      forgive()
      throw tooManyAttempts((ofSite.admitted ? ofPerson : ofSite).freesInMs)
    }
    const hasFailed =
      ofAddress.remaining < this.#byAddress.allowed - 1 ||
      ofBoth.remaining < this.#byPersonAndSite.allowed - 1
    return { rank: hasFailed ? 'other' : 'fresh', forgive }
  }
}
