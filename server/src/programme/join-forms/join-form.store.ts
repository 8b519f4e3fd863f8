import type { JoinForm, JoinQuestion, TermsVersion } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'

/** Enough for a page; older versions stay in the table. */
const SHOWN_VERSIONS = 20

/** Whether people who join the campaign `c` are asked anything. */
export const hasJoinForm = (accountId: number): Sql => sql`(
  EXISTS (SELECT 1 FROM join_forms f
           WHERE f.account_id = ${accountId} AND f.campaign_id = c.id AND jsonb_array_length(f.questions) > 0)
  OR coalesce((SELECT t.text IS NOT NULL OR t.url IS NOT NULL FROM campaign_terms t
                WHERE t.account_id = ${accountId} AND t.campaign_id = c.id ORDER BY t.version DESC LIMIT 1), false))`

interface FormRow {
  version: number | null
  questions: JoinQuestion[] | null
  terms: TermsVersion | null
  now: string
}

const iso = (time: string) => new Date(time).toISOString()

/** The current questions and terms, read at once: `readAt` is a moment at which both applied, not the transaction's start. */
export async function findJoinForm(
  db: Db,
  accountId: number,
  campaignId: number,
): Promise<{ form: JoinForm; termsVersion: number; readAt: string }> {
  const row = (await db.first<FormRow>(sql`
    SELECT f.version, f.questions, clock_timestamp() AS now,
           (SELECT json_build_object('version', t.version, 'text', t.text, 'url', t.url, 'created_at', t.created_at)
              FROM campaign_terms t WHERE t.account_id = ${accountId} AND t.campaign_id = ${campaignId}
             ORDER BY t.version DESC LIMIT 1) AS terms
      FROM (SELECT) one LEFT JOIN join_forms f ON f.account_id = ${accountId} AND f.campaign_id = ${campaignId}`)) as FormRow
  const { version, questions, terms, now } = row
  const isRemoved = terms === null || (terms.text === null && terms.url === null)
  return {
    form: {
      version: version ?? 0,
      questions: questions ?? [],
      terms: isRemoved ? null : { ...terms, created_at: iso(terms.created_at) },
    },
    termsVersion: terms?.version ?? 0,
    readAt: now,
  }
}

export function listTermsVersions(db: Db, accountId: number, campaignId: number): Promise<TermsVersion[]> {
  return db.many(sql`
    SELECT t.version, t.text, t.url, t.created_at FROM campaign_terms t
     WHERE t.account_id = ${accountId} AND t.campaign_id = ${campaignId} ORDER BY t.version DESC LIMIT ${SHOWN_VERSIONS}`)
}

/** A version of the terms as people accept it, and the campaign's name. */
export interface TermsToAccept {
  version: number
  text: string | null
  url: string | null
  campaign_name: string
}

export function findTerms(
  db: Db,
  accountId: number,
  campaignId: number,
  version: number,
): Promise<TermsToAccept | undefined> {
  return db.first(sql`
    SELECT t.version, t.text, t.url, c.name AS campaign_name
      FROM campaign_terms t JOIN campaigns c ON c.account_id = ${accountId} AND c.id = t.campaign_id
     WHERE t.account_id = ${accountId} AND t.campaign_id = ${campaignId} AND t.version = ${version}`)
}

export async function saveQuestions(
  tx: Tx,
  accountId: number,
  campaignId: number,
  version: number,
  questions: JoinQuestion[],
): Promise<void> {
  await tx.many(sql`
    INSERT INTO join_forms (account_id, campaign_id, version, questions)
    VALUES (${accountId}, ${campaignId}, ${version}, ${JSON.stringify(questions)}::jsonb)
    ON CONFLICT (account_id, campaign_id)
    DO UPDATE SET version = excluded.version, questions = excluded.questions, updated_at = now()`)
}

export async function insertTerms(
  tx: Tx,
  accountId: number,
  campaignId: number,
  { version, text, url }: Pick<TermsVersion, 'version' | 'text' | 'url'>,
): Promise<void> {
  await tx.many(sql`
    INSERT INTO campaign_terms (account_id, campaign_id, version, text, url)
    VALUES (${accountId}, ${campaignId}, ${version}, ${text}, ${url})`)
}
