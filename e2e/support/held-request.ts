import { once } from 'node:events'
import { type Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { Programme } from './programme.ts'

/** A request that the service has accepted and whose body it is waiting for. */
export interface HeldRequest {
  /** Sends the body; resolves with the status and the whole response. */
  finish(): Promise<{ status: number | undefined; complete: boolean; body: string }>
  /** Resolves when its connection has ended. */
  readonly closed: Promise<unknown>
}

let counter = 0

async function answerTo(sent: ClientRequest) {
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  let body = ''
  for await (const chunk of response.setEncoding('utf8')) body += chunk
  return { status: response.statusCode, complete: response.complete, body }
}

/** `100 Continue` proves that the service has accepted the request: from here on it must respond. */
export async function holdRequest(
  url: string,
  { key, campaignId }: Programme,
  agent: Agent | false = false,
): Promise<HeldRequest> {
  const body = JSON.stringify({ email: `held-${++counter}@example.com`, campaign_id: campaignId })
  const sent = request(`${url}/api/v1/affiliates`, {
    method: 'POST',
    agent,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      expect: '100-continue',
    },
  })
  sent.flushHeaders()
  await once(sent, 'continue')
  // A broken connection rejects the promise of the response.
  sent.on('error', () => undefined)
  return {
    closed: new Promise(resolve => sent.once('close', resolve)),
    finish() {
      sent.end(body)
      return answerTo(sent)
    },
  }
}
