import type { Application } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { CheckedForm, JoinAnswer } from './join-form.ts'

/**
 * Stores what someone answered and accepted. Answers belong to the enrolment, so only a new one has any; terms that someone accepts
 * again keep the time of the first acceptance.
 */
export async function insertApplication(
  tx: Tx,
  accountId: number,
  who: { affiliateId: number; campaignId: number; isNew: boolean },
  { answers, termsVersion, acceptedAt }: CheckedForm & { acceptedAt: string },
): Promise<void> {
  if (who.isNew && answers.length > 0) await insertAnswers(tx, accountId, who, answers)
  if (termsVersion !== null)
    await tx.many(sql`
      INSERT INTO terms_acceptances (account_id, affiliate_id, campaign_id, version, accepted_at)
      VALUES (${accountId}, ${who.affiliateId}, ${who.campaignId}, ${termsVersion}, ${acceptedAt})
      ON CONFLICT DO NOTHING`)
}

async function insertAnswers(
  tx: Tx,
  accountId: number,
  { affiliateId, campaignId }: { affiliateId: number; campaignId: number },
  answers: JoinAnswer[],
): Promise<void> {
  await tx.many(sql`
    INSERT INTO join_answers (account_id, affiliate_id, campaign_id, position, kind, question, answer)
    SELECT ${accountId}, ${affiliateId}, ${campaignId}, given.*
      FROM unnest(${answers.map(({ position }) => position)}::integer[], ${answers.map(({ kind }) => kind)}::text[],
                  ${answers.map(({ question }) => question)}::text[], ${answers.map(({ answer }) => answer)}::text[]) AS given`)
}

export interface AnswerRow {
  campaign_id: number
  campaign_name: string
  kind: JoinAnswer['kind']
  question: string
  answer: string
}

const listAnswers = (db: Db, accountId: number, affiliateId: number): Promise<AnswerRow[]> =>
  db.many(sql`
    SELECT n.campaign_id, c.name AS campaign_name, n.kind, n.question, n.answer
      FROM join_answers n JOIN campaigns c ON c.account_id = ${accountId} AND c.id = n.campaign_id
     WHERE n.account_id = ${accountId} AND n.affiliate_id = ${affiliateId} ORDER BY n.campaign_id, n.position`)

export interface AcceptanceRow {
  campaign_id: number
  campaign_name: string
  version: number
  accepted_at: string
}

const listAcceptances = (db: Db, accountId: number, affiliateId: number): Promise<AcceptanceRow[]> =>
  db.many(sql`
    SELECT n.campaign_id, c.name AS campaign_name, n.version, n.accepted_at
      FROM terms_acceptances n JOIN campaigns c ON c.account_id = ${accountId} AND c.id = n.campaign_id
     WHERE n.account_id = ${accountId} AND n.affiliate_id = ${affiliateId} ORDER BY n.campaign_id, n.version`)

/** What an affiliate answered and accepted, by campaign. */
export async function listApplications(
  db: Db,
  accountId: number,
  affiliateId: number,
): Promise<Application[]> {
  const applications = new Map<number, Application>()
  const of = ({ campaign_id, campaign_name }: Pick<AnswerRow, 'campaign_id' | 'campaign_name'>) => {
    const found = applications.get(campaign_id) ?? { campaign_id, campaign_name, answers: [], terms: [] }
    applications.set(campaign_id, found)
    return found
  }
  for (const { kind, question, answer, ...row } of await listAnswers(db, accountId, affiliateId))
    of(row).answers.push({ kind, question, answer })
  for (const { version, accepted_at, ...row } of await listAcceptances(db, accountId, affiliateId))
    of(row).terms.push({ version, accepted_at })
  return [...applications.values()].sort((a, b) => a.campaign_id - b.campaign_id)
}

/** Deletes an affiliate's answers, for one who asks for it. The accepted terms stay: they are the company's proof. */
export async function deleteAnswers(tx: Tx, accountId: number, affiliateId: number): Promise<number> {
  const deleted = await tx.many<{ position: number }>(sql`
    DELETE FROM join_answers n WHERE n.account_id = ${accountId} AND n.affiliate_id = ${affiliateId} RETURNING n.position`)
  return deleted.length
}
