import type { Db } from '../../db/database.ts'
import { DomainError } from '../../kit/domain-error.ts'
import { insertLink } from '../billing-facts.store.ts'
import { backOff, failureText } from '../failed-state.ts'
import { type Calls, openApi, RUN_MS } from '../open-api.ts'
import {
  type ClaimedCode,
  type CodeOutcome,
  claimCode,
  insertMissingCodes,
  isWanted,
  makeChangedCodesDue,
  recordCode,
} from './code.store.ts'

/** Makes what the provider has what the affiliates have: creates missing codes, and turns those of rejected affiliates off. */
export async function syncCodes(calls: Calls, runMs = RUN_MS): Promise<void> {
  const deadline = performance.now() + runMs
  await insertMissingCodes(calls.db)
  await makeChangedCodesDue(calls.db)
  while (performance.now() < deadline) {
    const code = await claimCode(calls.db)
    if (!code) return
    const outcome = await callProvider(calls, code).catch((error: unknown) => failed(code, error))
    await record(calls.db, code, outcome)
  }
}

/** With the link from the provider's ID to the code: a checkout may name the ID alone. */
const record = (db: Db, code: ClaimedCode, outcome: CodeOutcome) =>
  db.transaction(async tx => {
    await recordCode(tx, code, outcome)
    if (outcome.externalId === null) return
    const place = { accountId: code.account_id, connectorId: code.connector_id }
    await insertLink(tx, place, { kind: 'code', ref: outcome.externalId, target: code.code })
  })

const settled = { isOurs: true, problem: null, dueInSeconds: null }

async function callProvider(calls: Calls, code: ClaimedCode): Promise<CodeOutcome> {
  const { account_id: accountId, external_id: externalId, is_active: isActive } = code
  const { connector, feature: codes, api } = await openApi(calls, accountId, code.connector_id, 'codes')
  const wanted = await isWanted(calls.db, accountId, code.id)
  if (externalId !== null) {
    if (isActive !== wanted) await codes.setActive(api, externalId, wanted)
    return { ...settled, externalId, isActive: wanted }
  }
  const named = { code: code.code, key: code.idempotency_key }
  if (!wanted || connector.code_coupon === null) {
    // A process may have died after it created the code.
    const made = code.attempts > 1 ? await codes.findOurs(api, named) : undefined
    if (made?.isActive && !wanted) await codes.setActive(api, made.id, false)
    return { ...settled, externalId: made?.id ?? null, isActive: wanted && made !== undefined }
  }
  const coupon = code.coupon ?? connector.code_coupon
  const made = await codes.create(api, { ...named, coupon, affiliateId: code.affiliate_id })
  return { ...settled, externalId: made.id, isActive: made.isActive, isOurs: made.key !== undefined }
}

function failed(code: ClaimedCode, error: unknown): CodeOutcome {
  if (!(error instanceof DomainError)) throw error
  return {
    externalId: code.external_id,
    isActive: code.is_active,
    isOurs: true,
    problem: failureText(error),
    dueInSeconds: backOff(code.attempts),
    isRejected: error.code !== 'unavailable',
  }
}
