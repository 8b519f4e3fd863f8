import { createHmac } from 'node:crypto'

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text)

export interface Signed {
  secret: string
  eventId: number
  unixSeconds: number
  body: string
}

/** `t=…,v1=…` over "t.body", keyed with the whole secret as displayed. */
export const tributarySignature = ({ secret, unixSeconds, body }: Signed) =>
  `t=${unixSeconds},v1=${hmac(secret, `${unixSeconds}.${body}`).digest('hex')}`

/** The same delivery in the Standard Webhooks scheme, keyed with the bytes that the secret encodes. */
export function standardHeaders({ secret, eventId, unixSeconds, body }: Signed): Record<string, string> {
  const id = `evt_${eventId}`
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': String(unixSeconds),
    'webhook-signature': `v1,${hmac(key, `${id}.${unixSeconds}.${body}`).digest('base64')}`,
  }
}
