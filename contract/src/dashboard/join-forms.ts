import { type Static, Type } from 'typebox'
import { Count, closed, Id, nullable, OneLine, oneOf, PlainText, Timestamp } from '../fields.ts'
import { allOf, change, Done, read } from './schema.ts'

export const questionKinds = ['text', 'url', 'choice'] as const
export const MOST_QUESTIONS = 10
export const MOST_CHOICES = 20
export const LONGEST_QUESTION = 200
export const LONGEST_CHOICE = 100
/** Ten of the longest fit into the body of a request without a session. */
export const LONGEST_ANSWER = 500
export const LONGEST_TERMS = 20_000

export const JoinQuestion = closed({
  kind: oneOf(questionKinds),
  label: OneLine(LONGEST_QUESTION),
  is_required: Type.Boolean(),
  /** Empty unless the question is a choice. */
  choices: Type.Array(OneLine(LONGEST_CHOICE), { maxItems: MOST_CHOICES }),
})
export type JoinQuestion = Static<typeof JoinQuestion>

const JoinQuestions = Type.Array(JoinQuestion, { maxItems: MOST_QUESTIONS })

/** Text to accept, or the address of a page with it. Neither if the terms were removed. */
export const TermsVersion = closed({
  version: Count,
  text: nullable(Type.String()),
  url: nullable(Type.String()),
  created_at: Timestamp,
})
export type TermsVersion = Static<typeof TermsVersion>

/** What someone who joins a campaign is asked. */
export const JoinForm = closed({
  /** Changes with the questions; 0 if there were never any. */
  version: Count,
  questions: JoinQuestions,
  terms: nullable(TermsVersion),
})
export type JoinForm = Static<typeof JoinForm>

export const EditedJoinForm = closed({
  ...JoinForm.properties,
  /** 0 if there were never any terms. */
  terms_version: Count,
  /** The newest versions, newest first. */
  terms_history: Type.Array(TermsVersion),
})
export type EditedJoinForm = Static<typeof EditedJoinForm>

const Url = Type.String({ maxLength: 2048, pattern: '^https?://[^\\s]+$' })

/** What someone answered and accepted to join a campaign. */
export const Application = closed({
  campaign_id: Id,
  campaign_name: Type.String(),
  answers: Type.Array(closed({ kind: oneOf(questionKinds), question: Type.String(), answer: Type.String() })),
  terms: Type.Array(closed({ version: Count, accepted_at: Timestamp })),
})
export type Application = Static<typeof Application>

export const joinFormsSchemas = {
  getJoinForm: read(EditedJoinForm),
  updateJoinForm: change(
    closed({
      /** The versions that were edited: the change is refused if someone else has changed them since. */
      version: Count,
      terms_version: Count,
      questions: JoinQuestions,
      terms_text: nullable(PlainText(LONGEST_TERMS)),
      terms_url: nullable(Url),
    }),
    EditedJoinForm,
  ),
  listApplications: read(allOf(Application)),
  deleteAnswers: change(closed({}), Done),
}
export type UpdateJoinForm = Static<typeof joinFormsSchemas.updateJoinForm.body>
