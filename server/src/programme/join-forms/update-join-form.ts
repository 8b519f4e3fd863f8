import type { EditedJoinForm, UpdateJoinForm } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { conflict, invalid, notFound } from '../../kit/domain-error.ts'
import { parseUrl } from '../../kit/url.ts'
import { lockCampaign } from '../campaigns/campaign.store.ts'
import { campaignExists } from '../campaigns/campaign-exists.ts'
import { findJoinForm, insertTerms, listTermsVersions, saveQuestions } from './join-form.store.ts'
import { validQuestions } from './join-form.ts'

export async function showJoinForm(db: Db, accountId: number, campaignId: number): Promise<EditedJoinForm> {
  if (!(await campaignExists(db, accountId, campaignId))) throw notFound('campaign')
  const { form, termsVersion } = await findJoinForm(db, accountId, campaignId)
  return {
    ...form,
    terms_version: termsVersion,
    terms_history: await listTermsVersions(db, accountId, campaignId),
  }
}

function termsOf({ terms_text, terms_url }: UpdateJoinForm) {
  const text = terms_text?.trim() || null
  if (text !== null && terms_url !== null) throw invalid('terms_url', 'must be null if there is a text')
  if (terms_url !== null && !parseUrl(terms_url)) throw invalid('terms_url', 'must be an http or https URL')
  return { text, url: terms_url }
}

/**
 * Changes the questions and the terms. Other terms are a new version, so that it stays known what an affiliate accepted; unchanged ones
 * are none. Of two people who edit the same version at once, the second one is refused.
 */
export function updateJoinForm(
  db: Db,
  accountId: number,
  campaignId: number,
  wanted: UpdateJoinForm,
): Promise<EditedJoinForm> {
  const questions = validQuestions(wanted.questions)
  const terms = termsOf(wanted)
  return db.transaction(async tx => {
    // In a separate statement, so that what is read next includes a change that this one waited for.
    await lockCampaign(tx, accountId, campaignId)
    const before = await showJoinForm(tx, accountId, campaignId)
    if (before.version !== wanted.version || before.terms_version !== wanted.terms_version)
      throw conflict('Someone else has changed the join form. Reload the page to see their changes.')
    if (JSON.stringify(inOrder(before.questions)) !== JSON.stringify(inOrder(questions)))
      await saveQuestions(tx, accountId, campaignId, before.version + 1, questions)
    if ((before.terms?.text ?? null) !== terms.text || (before.terms?.url ?? null) !== terms.url)
      await insertTerms(tx, accountId, campaignId, { version: before.terms_version + 1, ...terms })
    return showJoinForm(tx, accountId, campaignId)
  })
}

/** With their fields in one order: PostgreSQL stores those of JSON in its own. */
const inOrder = (questions: UpdateJoinForm['questions']) =>
  questions.map(({ kind, label, is_required, choices }) => [kind, label, is_required, choices])
