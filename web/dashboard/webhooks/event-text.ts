import type { EventKind } from '@tributary/contract'
import { texts } from './en.ts'

export const eventKinds = Object.keys(texts.events) as EventKind[]

/** The outcome of an attempt, such as "HTTP 500" or "Host not found". A stage of a later version keeps its name. */
export function attemptText(attempt: { response_status: number | null; error_stage: string | null }): string {
  const { response_status: status, error_stage: stage } = attempt
  if (stage === null || stage === 'status') return texts.http(status)
  return texts.stages[stage] ?? stage
}

/** Why an attempt failed, as a sentence. */
export const failureText = (stage: string) =>
  stage === 'status' ? texts.onlySuccess : `${texts.stages[stage] ?? stage}.`

const MS_PER_SECOND = 1000

/** "340 ms", "1.2 s". */
export const durationText = (ms: number) => {
  const [value, unit] = ms < MS_PER_SECOND ? [ms, 'millisecond'] : [ms / MS_PER_SECOND, 'second']
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: 1,
  }).format(value)
}

/** A JSON body, indented; any other body unchanged. */
export const formatted = (body: string) => {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
