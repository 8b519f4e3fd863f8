import { type TemplateKind, templateVariables } from '@tributary/contract/dashboard'
import { invalid } from '../../kit/domain-error.ts'
import type { Mail } from '../render-mail.ts'
import { fillTemplate, variablesIn } from './fill-template.ts'

export interface NewTemplate {
  kind: TemplateKind
  subject: string
  body: string
}

/** Refuses blank text, and variables that an email of this kind does not have: they would be empty in every email. */
export function assertTemplate({ kind, subject, body }: NewTemplate): void {
  const known: readonly string[] = templateVariables[kind]
  for (const [field, text] of Object.entries({ subject, body })) {
    if (text.trim() === '') throw invalid(field, 'must not be blank')
    for (const name of variablesIn(text))
      if (!known.includes(name))
        throw invalid(field, `has the unknown variable {{${name}}}; available are ${known.join(', ')}`)
  }
}

const SAMPLES: Record<string, string> = {
  affiliate: 'Jane Doe',
  campaign: 'Partners',
  amount: '49.90 USD',
  clears_on: 'December 13, 2026',
  address: 'jane@example.com',
  reason: 'The account is closed',
}

/** The email as an affiliate would get it, with sample values. */
export const sampleMail = (template: NewTemplate, company: string): Mail => ({
  kind: template.kind,
  ...fillTemplate(template, { ...SAMPLES, company }),
})
