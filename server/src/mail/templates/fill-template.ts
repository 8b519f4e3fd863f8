/** The values of an email's variables. Null if there is none in this case, such as the reason of a failure that gave none. */
export type TemplateValues = Record<string, string | null>

const VARIABLE = /\{\{\s*([^{}]*?)\s*\}\}/g

/** The names in double braces, as they are written. */
export const variablesIn = (text: string): string[] =>
  [...text.matchAll(VARIABLE)].map(([, name]) => name as string)

/** Values are plain text: what looks like a variable in one is not replaced again, and HTML is escaped where it is rendered. */
const fill = (text: string, values: TemplateValues) =>
  text.replaceAll(VARIABLE, (_, name: string) => values[name] ?? '')

const hasAll = (text: string, values: TemplateValues) =>
  variablesIn(text).every(name => typeof values[name] === 'string' && values[name] !== '')

/** Blank lines separate paragraphs. A paragraph with a variable that has no value is left out. */
export function fillTemplate(
  { subject, body }: { subject: string; body: string },
  values: TemplateValues,
): { subject: string; lines: string[] } {
  const paragraphs = body
    .replaceAll('\r', '')
    .trim()
    .split(/\n{2,}/)
  return {
    subject: fill(subject, values),
    lines: paragraphs.filter(paragraph => hasAll(paragraph, values)).map(each => fill(each, values)),
  }
}
