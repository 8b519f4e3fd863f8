import type { EditedJoinForm } from '@tributary/contract/dashboard'
import { describe, expect, it } from 'vitest'
import { changeOfForm, fieldsOfForm, moved, newQuestion } from './join-form-fields.ts'

const form: EditedJoinForm = {
  version: 3,
  terms_version: 2,
  questions: [
    { kind: 'text', label: 'Why?', is_required: true, choices: [] },
    { kind: 'choice', label: 'Size', is_required: false, choices: ['Few', 'Many'] },
  ],
  terms: { version: 2, text: 'Be nice.', url: null, created_at: '2026-01-31T12:00:00.000Z' },
  terms_history: [],
}

describe('a join form', () => {
  it('unchanged is sent as it was', () => {
    expect(changeOfForm(fieldsOfForm(form), form)).toEqual({
      version: 3,
      terms_version: 2,
      questions: form.questions,
      terms_text: 'Be nice.',
      terms_url: null,
    })
  })

  it('has one choice per line, and none for other kinds', () => {
    const fields = fieldsOfForm(form)
    const [why, size] = fields.questions as [never, (typeof fields.questions)[0]]
    const choices = ' Few\n\nMany \nSome\n'
    const change = (kind: 'choice' | 'text') =>
      changeOfForm({ ...fields, questions: [why, { ...size, kind, choices }] }, form).questions[1]?.choices
    expect(change('choice')).toEqual(['Few', 'Many', 'Some'])
    expect(change('text')).toEqual([])
  })

  it('sends the terms that are chosen', () => {
    const fields = { ...fieldsOfForm(form), url: ' https://example.com ' }
    const sent = (terms: 'none' | 'url') => {
      const { terms_text, terms_url } = changeOfForm({ ...fields, terms }, form)
      return [terms_text, terms_url]
    }
    expect(sent('none')).toEqual([null, null])
    expect(sent('url')).toEqual([null, 'https://example.com'])
    expect(changeOfForm({ ...fields, text: ' \n' }, form).terms_text).toBeNull()
  })

  it('has questions that move, but not past the ends, and new ones with another key', () => {
    const { questions } = fieldsOfForm(form)
    const labels = (index: number, by: 1 | -1) => moved(questions, index, by).map(({ label }) => label)
    expect(labels(0, 1)).toEqual(['Size', 'Why?'])
    expect(labels(1, -1)).toEqual(['Size', 'Why?'])
    expect(labels(0, -1)).toEqual(['Why?', 'Size'])
    expect(labels(1, 1)).toEqual(['Why?', 'Size'])
    expect([newQuestion([]).key, newQuestion(questions).key]).toEqual([0, 2])
  })
})
