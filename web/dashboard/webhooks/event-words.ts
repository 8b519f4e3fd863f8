import type { EventKind } from '@tributary/contract'

/** What happened when an event of this kind is sent. */
export const eventWords: Record<EventKind, string> = {
  'promoter.approved': 'An affiliate was approved',
  'conversion.created': 'A conversion was attributed to an affiliate',
  'commission.created': 'An entry was added to the ledger: a commission, a clawback, a payout',
  'payout.paid': 'A payout was paid, in full or in part',
}
export const eventKinds = Object.keys(eventWords) as EventKind[]

/** Where an attempt failed, and what to look at. */
const stageWords: Record<string, string> = {
  destination: 'Webhooks may not go to this address',
  dns: 'The name of the host could not be found',
  connect: 'No connection could be made',
  tls: 'The TLS handshake failed',
  response: 'No answer came in time',
  body: 'The answer broke off',
  status: 'The answer was not 200',
}

/** How an attempt went, in a few words. */
export function attemptWords(attempt: {
  response_status: number | null
  error_stage: string | null
}): string {
  const { response_status: status, error_stage: stage } = attempt
  if (stage === null || stage === 'status') return `HTTP ${status}`
  return stageWords[stage] ?? stage
}

/** The same as a sentence that says what counts. */
export const stageSentence = (stage: string) =>
  stage === 'status'
    ? 'The receiver answered, but only 200 counts as received: anything else is tried again.'
    : `${stageWords[stage] ?? stage}.`

/** A body for people to read; one that is no JSON stays as it is. */
export const formatted = (body: string) => {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
