import type { JoinForm, JoinQuestion } from '@tributary/contract/dashboard'
import type { FilledForm } from '@tributary/contract/portal'
import { conflict, DomainError, invalid } from '../../kit/domain-error.ts'
import { parseUrl } from '../../kit/url.ts'

/** An answer with the words of its question, which may change later. */
export interface JoinAnswer {
  position: number
  kind: JoinQuestion['kind']
  question: string
  answer: string
}

/** What someone answered and accepted. */
export interface CheckedForm {
  answers: JoinAnswer[]
  termsVersion: number | null
}

const refused = (question: string, problem: string) =>
  new DomainError('validation_failed', `“${question}” ${problem}.`)

const isWebAddress = (text: string) => /^https?:$/.test(parseUrl(text)?.protocol ?? '')

function assertAnswer({ kind, label, is_required, choices }: JoinQuestion, answer: string): void {
  if (answer === '') {
    if (is_required) throw refused(label, 'needs an answer')
    return
  }
  if (kind === 'url' && !isWebAddress(answer)) throw refused(label, 'must be an http or https URL')
  if (kind === 'choice' && !choices.includes(answer)) throw refused(label, 'must be one of the choices')
}

/**
 * The answers to a form and the accepted terms. A form that has changed since it was shown is refused: the answers would be to other
 * questions, and the person would have accepted other terms than the current ones.
 */
export function checkForm(
  { version, questions, terms }: JoinForm,
  filled: FilledForm | undefined,
): CheckedForm {
  const isAsked = questions.length > 0 || terms !== null
  if (!isAsked && filled === undefined) return { answers: [], termsVersion: null }
  const termsVersion = terms?.version ?? null
  if (filled?.version !== version || filled.terms_version !== termsVersion)
    throw conflict('The questions or terms have changed. Check the form and send it again.')
  if (filled.answers.length !== questions.length) throw invalid('answers', 'must have one item per question')
  const answers = questions.map((question, index) => {
    const answer = (filled.answers[index] as string).trim()
    assertAnswer(question, answer)
    return { position: index + 1, kind: question.kind, question: question.label, answer }
  })
  return { answers: answers.filter(({ answer }) => answer !== ''), termsVersion }
}

/** Questions as they are stored: trimmed, distinct, and with choices only where there is something to choose. */
export function validQuestions(questions: JoinQuestion[]): JoinQuestion[] {
  const trimmed = questions.map(({ label, choices, ...rest }) => ({
    ...rest,
    label: label.trim(),
    choices: choices.map(choice => choice.trim()),
  }))
  for (const { kind, label, choices } of trimmed) {
    if (label === '') throw invalid('questions', 'must not be blank')
    if (kind !== 'choice' && choices.length > 0) throw refused(label, 'has choices, but is not a choice')
    if (kind !== 'choice') continue
    if (choices.length < 2) throw refused(label, 'needs at least two choices')
    if (choices.includes('')) throw refused(label, 'has a blank choice')
    if (new Set(choices).size < choices.length) throw refused(label, 'has the same choice twice')
  }
  const labels = trimmed.map(({ label }) => label)
  const twice = labels.find((label, index) => labels.indexOf(label) < index)
  if (twice !== undefined) throw refused(twice, 'is asked twice')
  return trimmed
}
