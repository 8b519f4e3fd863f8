import type { ImportReport } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../../db/database.ts'
import { dryRunOr } from '../../db/dry-run.ts'
import { conflict, DomainError, invalid } from '../../kit/domain-error.ts'
import { newAffiliateToken } from '../../kit/tokens.ts'
import { campaignExists } from '../campaigns/campaign-exists.ts'
import { type AffiliateDetails, foldTags } from './affiliate.ts'
import { insertNewAffiliates } from './affiliate-import.store.ts'
import { enrolAffiliate } from './enrol-affiliate.ts'
import { type ImportedAffiliate, type ImportedLine, readAffiliatesCsv } from './read-affiliates-csv.ts'
import { findAliases } from './token-alias.store.ts'

/** Batch size: one by one, 5,000 affiliates took ten seconds, while other requests waited for locks on the same emails. */
const ADDED_AT_ONCE = 500

type ReadableLine = Extract<ImportedLine, { affiliate: ImportedAffiliate }>
type Outcome = 'created' | 'enrolled' | 'unchanged' | { reason: string }

const detailsOf = ({ affiliate }: ReadableLine): AffiliateDetails => ({
  email: affiliate.email,
  name: affiliate.name ?? null,
  kind: 'affiliate',
  token: affiliate.token ?? newAffiliateToken(),
  coupon_code: affiliate.coupon_code ?? null,
  paypal_email: affiliate.paypal_email ?? null,
  tags: foldTags(affiliate.tags ?? []),
})

/** Adds a row that was not inserted in a batch as the API does, which gives the reason for an error. */
async function addAlone(tx: Tx, accountId: number, campaignId: number, line: ReadableLine): Promise<Outcome> {
  try {
    const request = { ...line.affiliate, campaign_id: campaignId }
    const { created, enrolled } = await enrolAffiliate(tx, accountId, request)
    return created ? 'created' : enrolled ? 'enrolled' : 'unchanged'
  } catch (error) {
    if (error instanceof DomainError) return { reason: error.message }
    throw error
  }
}

/** Tokens that became aliases while the batch was inserted; those that were before are skipped by it. */
async function refuseAliases(tx: Tx, accountId: number, lines: ReadableLine[], added: Set<number>) {
  const given = lines.flatMap(({ affiliate }, position) =>
    added.has(position) ? (affiliate.token ?? []) : [],
  )
  const aliases = given.length > 0 ? await findAliases(tx, accountId, given) : []
  if (aliases.length > 0) throw conflict(`Token ${aliases[0]} was changed during the import. Try again.`)
}

async function addLines(
  tx: Tx,
  accountId: number,
  campaignId: number,
  lines: ImportedLine[],
): Promise<Omit<ImportReport, 'lines' | 'ignored_columns'>> {
  const report = { created: 0, enrolled: 0, unchanged: 0, refused: [] as ImportReport['refused'] }
  const refuse = ({ line, email }: ImportedLine, reason: string) =>
    report.refused.push({ line, email, reason })
  for (const line of lines) if (line.reason !== undefined) refuse(line, line.reason)
  const readable = lines.filter(line => line.affiliate !== undefined)
  for (let from = 0; from < readable.length; from += ADDED_AT_ONCE) {
    const some = readable.slice(from, from + ADDED_AT_ONCE)
    const added = await insertNewAffiliates(tx, accountId, campaignId, some.map(detailsOf))
    report.created += added.size
    await refuseAliases(tx, accountId, some, added)
    for (const [position, line] of some.entries()) {
      if (added.has(position)) continue
      const outcome = await addAlone(tx, accountId, campaignId, line)
      if (typeof outcome === 'string') report[outcome]++
      else refuse(line, outcome.reason)
    }
  }
  return { ...report, refused: report.refused.toSorted((a, b) => a.line - b.line) }
}

/**
 * Imports affiliates from a CSV and enrols them in a campaign. A refused row does not affect the others. A dry run does the same and
 * rolls back, so its report matches the real import.
 */
export function importAffiliates(
  db: Db,
  accountId: number,
  { campaign_id, csv, dry_run }: { campaign_id: number; csv: string; dry_run: boolean },
): Promise<ImportReport> {
  const { lines, ignoredColumns } = readAffiliatesCsv(csv)
  return dryRunOr(db, dry_run, async tx => {
    if (!(await campaignExists(tx, accountId, campaign_id)))
      throw invalid('campaign_id', 'does not match a campaign in this account')
    const added = await addLines(tx, accountId, campaign_id, lines)
    return { lines: lines.length, ...added, ignored_columns: ignoredColumns }
  })
}
