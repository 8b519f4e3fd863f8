import type { EditedJoinForm, JoinQuestion, UpdateJoinForm } from '@tributary/contract/dashboard'

/** A question as it is edited: its choices are lines of text. The key keeps a moved question's fields where they are typed in. */
export interface QuestionFields extends Omit<JoinQuestion, 'choices'> {
  key: number
  choices: string
}

export interface JoinFormFields {
  questions: QuestionFields[]
  terms: 'none' | 'text' | 'url'
  text: string
  url: string
}

export const fieldsOfForm = ({ questions, terms }: EditedJoinForm): JoinFormFields => ({
  questions: questions.map(({ choices, ...question }, key) => ({
    ...question,
    key,
    choices: choices.join('\n'),
  })),
  terms: terms === null ? 'none' : terms.url === null ? 'text' : 'url',
  text: terms?.text ?? '',
  url: terms?.url ?? '',
})

export const newQuestion = (questions: QuestionFields[]): QuestionFields => ({
  key: Math.max(-1, ...questions.map(({ key }) => key)) + 1,
  kind: 'text',
  label: '',
  is_required: true,
  choices: '',
})

const linesOf = (text: string) =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')

/** What is sent. Terms without text or address are none. */
export const changeOfForm = (
  { questions, terms, text, url }: JoinFormFields,
  base: Pick<EditedJoinForm, 'version' | 'terms_version'>,
): UpdateJoinForm => ({
  version: base.version,
  terms_version: base.terms_version,
  questions: questions.map(({ kind, label, is_required, choices }) => ({
    kind,
    label: label.trim(),
    is_required,
    choices: kind === 'choice' ? linesOf(choices) : [],
  })),
  terms_text: terms === 'text' ? text.trim() || null : null,
  terms_url: terms === 'url' ? url.trim() || null : null,
})

/** Swaps a question with its neighbour. */
export function moved(questions: QuestionFields[], index: number, by: 1 | -1): QuestionFields[] {
  const [one, other] = [questions[index], questions[index + by]]
  if (!one || !other) return questions
  return questions.map((question, at) => (at === index ? other : at === index + by ? one : question))
}
