import { Anchor, Checkbox, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core'
import type { JoinForm } from '@tributary/contract/dashboard'
import { pages } from '@tributary/contract/portal/texts'
import { Loading, Problem } from '../shared/states.tsx'
import type { JoinFormState } from './use-join-form.ts'

const texts = pages.joinForm

/** The server refuses longer answers. */
const LONGEST_ANSWER = 500

/** The questions and terms of a campaign, as part of a form. */
export function JoinFormFields({ state }: { state: JoinFormState }) {
  const { form, error, isReady, refetch } = state
  if (error && !form) return <Problem error={error} retry={refetch} />
  if (!isReady) return <Loading />
  return form ? (
    <Stack>
      {form.questions.map(question => (
        <Question key={question.label} question={question} state={state} />
      ))}
      {form.terms && <Terms terms={form.terms} state={state} />}
    </Stack>
  ) : null
}

function Question({ question, state }: { question: JoinForm['questions'][number]; state: JoinFormState }) {
  const { kind, label, is_required: isRequired, choices } = question
  const field = {
    label,
    size: 'md',
    required: isRequired,
    value: state.answerTo(question),
    onChange: (event: { currentTarget: { value: string } }) =>
      state.setAnswer(question, event.currentTarget.value),
  }
  if (kind === 'choice')
    return (
      <NativeSelect {...field}>
        <option value="">{texts.choose}</option>
        {choices.map(choice => (
          <option key={choice}>{choice}</option>
        ))}
      </NativeSelect>
    )
  if (kind === 'url')
    return (
      <TextInput
        {...field}
        type="url"
        inputMode="url"
        pattern="https?://.*"
        placeholder={texts.urlExample}
        title={texts.urlHint}
        maxLength={LONGEST_ANSWER}
      />
    )
  return <Textarea {...field} autosize minRows={1} maxRows={8} maxLength={LONGEST_ANSWER} />
}

function Terms({ terms, state }: { terms: NonNullable<JoinForm['terms']>; state: JoinFormState }) {
  return (
    <div>
      {terms.text !== null && (
        <>
          <Text fw={500} id="terms-title">
            {texts.terms}
          </Text>
          <section className="terms" aria-labelledby="terms-title">
            {/* Focusable, so that the keyboard can scroll it. */}
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs the focus to be scrolled by keys. */}
            <div tabIndex={0}>{terms.text}</div>
          </section>
        </>
      )}
      <Checkbox
        required
        size="md"
        checked={state.isAccepted}
        onChange={event => state.setAccepted(event.currentTarget.checked)}
        label={texts.accept}
      />
      {terms.url !== null && (
        <Anchor href={terms.url} target="_blank" rel="noreferrer" underline="always" size="sm">
          {texts.read}
        </Anchor>
      )}
    </div>
  )
}
