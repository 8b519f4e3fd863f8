import type { JoinForm } from '@tributary/contract/dashboard'
import type { FilledForm, ListedCampaign } from '@tributary/contract/portal'
import { useState } from 'react'
import { ApiError } from '../../ui/send.ts'
import { useCall } from '../shared/api.ts'

type Question = JoinForm['questions'][number]

/** What was typed belongs to the words of a question, so that it stays when others are added or moved. */
const keyOf = ({ kind, label }: Question) => `${kind} ${label}`

/** The questions and terms of a campaign, and what was answered and accepted so far. */
export function useJoinForm({ id, has_join_form }: ListedCampaign, joinKey?: string) {
  // A form that was added after the page had been loaded.
  const [addedTo, setAddedTo] = useState<number[]>([])
  const isAsked = has_join_form || addedTo.includes(id)
  const input = { id, query: joinKey === undefined ? {} : { join_key: joinKey } }
  const { data, error, refetch } = useCall('getJoinForm', input, { enabled: isAsked, keepsPrevious: false })
  const [answers, setAnswers] = useState<Record<string, string>>({})
  const [accepted, setAccepted] = useState<string | null>(null)
  const termsKey = data?.terms ? `${id} ${data.terms.version}` : null
  const answerTo = (question: Question) => answers[keyOf(question)] ?? ''
  const filled: FilledForm | undefined = data && {
    version: data.version,
    answers: data.questions.map(answerTo),
    terms_version: data.terms?.version ?? null,
  }
  return {
    form: isAsked ? data : undefined,
    error: isAsked ? error : null,
    isReady: !isAsked || data !== undefined,
    filled: isAsked ? filled : undefined,
    answerTo,
    setAnswer: (question: Question, answer: string) =>
      setAnswers(before => ({ ...before, [keyOf(question)]: answer })),
    isAccepted: termsKey !== null && accepted === termsKey,
    setAccepted: (isAccepted: boolean) => setAccepted(isAccepted ? termsKey : null),
    refetch,
    /** Shows the new form if it has changed meanwhile. */
    onRefused: (refusal: Error) => {
      if (!(refusal instanceof ApiError && refusal.status === 409)) return
      if (isAsked) void refetch()
      else setAddedTo(before => [...before, id])
    },
  }
}
export type JoinFormState = ReturnType<typeof useJoinForm>
