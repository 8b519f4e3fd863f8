import { Alert, Button, Fieldset, Group, Skeleton, Stack, Text } from '@mantine/core'
import type { EditedJoinForm } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { useCall, useChange, useMay } from '../shared/account.tsx'
import { texts as shared } from '../shared/en.ts'
import { PlusIcon } from '../shared/icons.tsx'
import { Section } from '../shared/section.tsx'
import { ErrorNotice } from '../shared/states.tsx'
import { texts } from './en.ts'
import { changeOfForm, fieldsOfForm, moved, newQuestion, type QuestionFields } from './join-form-fields.ts'
import { JoinFormQuestion } from './join-form-question.tsx'
import { JoinFormTerms, TermsHistory } from './join-form-terms.tsx'

const { joinForm: labels } = texts

/** The server refuses more. */
const MOST_QUESTIONS = 10

/** What people who join the campaign in the portal are asked. */
export function JoinForm({ campaignId }: { campaignId: number }) {
  const form = useCall('getJoinForm', { id: campaignId })
  return (
    <Section title={labels.title}>
      <Text size="sm" c="dimmed" mb="md">
        {labels.note}
      </Text>
      {form.isPending && <Skeleton height={120} role="status" aria-label={shared.states.loading} />}
      {form.isError && <ErrorNotice error={form.error} retry={() => void form.refetch()} />}
      {form.data && <JoinFormEditor campaignId={campaignId} saved={form.data} />}
    </Section>
  )
}

function JoinFormEditor({ campaignId, saved }: { campaignId: number; saved: EditedJoinForm }) {
  const mayChange = useMay('programme')
  // Kept while someone else saves: their change must not replace what is typed here, and the server refuses to undo theirs.
  const [base, setBase] = useState(saved)
  const [fields, setFields] = useState(() => fieldsOfForm(saved))
  const update = useChange('updateJoinForm', {
    done: labels.saved,
    isQuiet: true,
    onDone: form => {
      setBase(form)
      setFields(fieldsOfForm(form))
    },
  })
  const { questions } = fields
  const setQuestions = (changed: QuestionFields[]) => setFields({ ...fields, questions: changed })
  const isChanged =
    JSON.stringify(changeOfForm(fields, base)) !== JSON.stringify(changeOfForm(fieldsOfForm(base), base))
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        update.mutate({ id: campaignId, body: changeOfForm(fields, base) })
      }}
    >
      <Fieldset variant="unstyled" m={0} disabled={!mayChange}>
        <Stack>
          {questions.length === 0 && <Text size="sm">{labels.noQuestions}</Text>}
          {questions.map((question, index) => (
            <JoinFormQuestion
              key={question.key}
              number={index + 1}
              question={question}
              isLast={index === questions.length - 1}
              onChange={changed => setQuestions(questions.map(each => (each === question ? changed : each)))}
              onMove={by => setQuestions(moved(questions, index, by))}
              onRemove={() => setQuestions(questions.filter(each => each !== question))}
            />
          ))}
          {mayChange && (
            <Group>
              <Button
                variant="default"
                leftSection={<PlusIcon size={16} />}
                disabled={questions.length >= MOST_QUESTIONS}
                onClick={() => setQuestions([...questions, newQuestion(questions)])}
              >
                {labels.add}
              </Button>
              {questions.length >= MOST_QUESTIONS && (
                <Text size="sm" c="dimmed">
                  {labels.most(MOST_QUESTIONS)}
                </Text>
              )}
            </Group>
          )}
          <JoinFormTerms fields={fields} onChange={setFields} />
          <TermsHistory versions={base.terms_history} />
          {update.error && (
            <Alert color="red" role="alert" variant="light">
              {update.error.message}
            </Alert>
          )}
          {mayChange && (
            <Group>
              <Button type="submit" loading={update.isPending} disabled={!isChanged}>
                {labels.save}
              </Button>
            </Group>
          )}
        </Stack>
      </Fieldset>
    </form>
  )
}
