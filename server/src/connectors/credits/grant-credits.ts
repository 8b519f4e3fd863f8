import type { Db } from '../../db/database.ts'
import { DomainError, invalidState, notFound } from '../../kit/domain-error.ts'
import { convertMinor, divideHalfEven } from '../../kit/money.ts'
import { rateOn } from '../../money/fx/exchange.ts'
import { type ConnectorRow, updateCreditsSince } from '../connector.store.ts'
import { backOff, failureText } from '../failed-state.ts'
import { type Calls, type OpenApi, openApi, RUN_MS } from '../open-api.ts'
import {
  type ClaimedCredit,
  type CreditBasis,
  type CreditFailure,
  claimCredit,
  deleteCredit,
  findCreditBasis,
  findFirstGiven,
  insertNextCredit,
  lockCreditEntry,
  makeGivenUpDue,
  moveCredit,
  NO_CALL,
  type Recipient,
  recordFailure,
  recordGiven,
  recordRecipient,
  takeCreditChanges,
} from './credit.store.ts'

/** How often to look whether a referral was reviewed. */
const HELD_SECONDS = 300

/** Turns granting credit at the provider on or off. */
export async function setCredits(
  calls: Calls,
  accountId: number,
  connectorId: number,
  isOn: boolean,
): Promise<ConnectorRow> {
  if (isOn) {
    const { feature, api } = await openApi(calls, accountId, connectorId, 'credits')
    if (feature.isTest(api))
      throw invalidState('The API key is of test mode, in which no credit is granted. Use one of live mode.')
  }
  const connector = await updateCreditsSince(calls.db, accountId, connectorId, isOn)
  if (!connector) throw notFound('connector')
  return connector
}

/** Makes the balances of customers at the provider what the ledger says: grants approved credit, and takes back what refunds took. */
export async function grantCredits(calls: Calls, runMs = RUN_MS): Promise<void> {
  const deadline = performance.now() + runMs
  await calls.db.transaction(async tx => {
    for (const { account_id, commission_id } of await takeCreditChanges(tx)) {
      await lockCreditEntry(tx, account_id, commission_id)
      await makeGivenUpDue(tx, account_id, commission_id)
      await insertNextCredit(tx, account_id, commission_id)
    }
  })
  while (performance.now() < deadline) {
    const credit = await claimCredit(calls.db)
    if (!credit) return
    const outcome = await changeBalance(calls, credit).catch((error: unknown) => failed(credit, error))
    await record(calls.db, credit, outcome)
  }
}

type Outcome = { externalId: string } | 'obsolete' | 'taken over' | CreditFailure

async function record(db: Db, credit: ClaimedCredit, outcome: Outcome): Promise<void> {
  if (outcome === 'taken over') return
  if (outcome !== 'obsolete' && !('externalId' in outcome)) return recordFailure(db, credit, outcome)
  await db.transaction(async tx => {
    await lockCreditEntry(tx, credit.account_id, credit.commission_id)
    await (outcome === 'obsolete' ? deleteCredit(tx, credit) : recordGiven(tx, credit, outcome.externalId))
    // The ledger may have changed meanwhile.
    await insertNextCredit(tx, credit.account_id, credit.commission_id)
  })
}

async function changeBalance(calls: Calls, credit: ClaimedCredit): Promise<Outcome> {
  const basis = await findCreditBasis(calls.db, credit)
  if (!basis) return 'obsolete'
  let to = fixedRecipient(credit)
  const isGiven = credit.amount_minor > 0
  if (!to) {
    const due = basis.in_force_minor - basis.given_minor
    if (due !== credit.amount_minor || (isGiven && !basis.is_on)) return 'obsolete'
    if (isGiven && basis.is_held)
      return { problem: null, attempts: 0, dueInSeconds: HELD_SECONDS, isRejected: false }
  }
  if (basis.is_removed) {
    if (await moveCredit(calls.db, credit)) return 'taken over'
    throw invalidState('The connector was removed. Connect the same account again, with an API key.')
  }
  const open = await openApi(calls, credit.account_id, credit.connector_id, 'credits')
  const { feature: credits, api } = open
  if (to) {
    // An earlier call may have succeeded, and the provider may have forgotten its idempotency key.
    const made = await credits.find(api, { customer: to.customer, key: credit.key, since: credit.created_at })
    if (made !== undefined) return { externalId: made }
  } else {
    to = await recipientOf(calls.db, open, credit, basis)
    if (!(await recordRecipient(calls.db, credit, to))) return 'taken over'
  }
  if (to.balance_minor === 0) return { externalId: NO_CALL }
  const externalId = await credits.change(api, {
    customer: to.customer,
    amountMinor: BigInt(to.balance_minor),
    currency: to.balance_currency,
    commissionId: credit.commission_id,
    key: credit.key,
    idempotencyKey: `tributary-credit-${credit.key}-${credit.rejections}`,
  })
  return { externalId }
}

function fixedRecipient({
  customer,
  balance_minor,
  balance_currency,
}: Pick<ClaimedCredit, keyof Recipient>): Recipient | undefined {
  if (customer === null || balance_minor === null || balance_currency === null) return undefined
  return { customer, balance_minor, balance_currency }
}

/** Whose balance changes, in the only currency it can have. A new customer is known by the sale, a referrer by their email. */
async function recipientOf(
  db: Db,
  { feature: credits, api }: OpenApi<'credits'>,
  credit: ClaimedCredit,
  basis: CreditBasis,
): Promise<Recipient> {
  const first = await findFirstGiven(db, credit)
  const given = first && fixedRecipient(first)
  if (given) {
    const inForce = divideHalfEven(
      BigInt(given.balance_minor) * BigInt(basis.in_force_minor),
      BigInt(first.amount_minor),
    )
    return { ...given, balance_minor: Number(inForce - BigInt(basis.given_balance_minor)) }
  }
  const { sale_customer: customer, affiliate_email: email, beneficiary, currency } = basis
  const found = await credits.findCustomer(api, beneficiary === 'referrer' ? { email } : whoOf(customer))
  const amount = BigInt(credit.amount_minor)
  if (found.currency === null || found.currency === currency)
    return changed({ customer: found.id, balance_currency: currency }, amount)
  const rate = await rateOn(db, currency, found.currency, basis.sale_occurred_at.slice(0, 10))
  if (!rate)
    throw invalidState(
      `The customer's balance is in ${found.currency}, and there is no exchange rate from ${currency}.`,
    )
  return changed(
    { customer: found.id, balance_currency: found.currency },
    convertMinor(amount, currency, found.currency, rate.decimal),
  )
}

/** A guest is known by their email. */
function whoOf(customer: string | null): { id: string } | { email: string } {
  if (customer === null) throw invalidState('This connector has not reported the sale.')
  return customer.includes('@') ? { email: customer } : { id: customer }
}

function changed(to: Omit<Recipient, 'balance_minor'>, balance: bigint): Recipient {
  if (balance === 0n)
    throw invalidState(`The amount is less than the smallest unit of ${to.balance_currency}.`)
  return { ...to, balance_minor: Number(balance) }
}

function failed({ attempts }: ClaimedCredit, error: unknown): CreditFailure {
  if (!(error instanceof DomainError)) throw error
  return {
    problem: failureText(error),
    attempts,
    dueInSeconds: backOff(attempts),
    isRejected: error.code === 'conflict',
  }
}
