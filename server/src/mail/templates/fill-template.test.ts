import { expect, it } from 'vitest'
import { fillTemplate, variablesIn } from './fill-template.ts'

it('fills in values, with or without spaces, and never twice', () => {
  const template = { subject: 'Hi {{affiliate}}', body: '{{ company }} sent {{amount}}.' }
  const values = { affiliate: '{{company}}', company: '$& <b>', amount: '5.00 USD' }
  expect(fillTemplate(template, values)).toEqual({
    subject: 'Hi {{company}}',
    lines: ['$& <b> sent 5.00 USD.'],
  })
})

it('leaves out a paragraph whose variable has no value', () => {
  const body = 'It failed.\r\n\r\nReason: {{reason}}\n\n\nWe try again.\nSoon.'
  expect(fillTemplate({ subject: 'x', body }, { reason: null }).lines).toEqual([
    'It failed.',
    'We try again.\nSoon.',
  ])
})

it('finds names, also those that look like properties of every object', () => {
  expect(variablesIn('{{a}} {{ b }} {{constructor}} {{}} {c}')).toEqual(['a', 'b', 'constructor', ''])
})
