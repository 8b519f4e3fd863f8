import { lookup } from 'node:dns/promises'
import type { Transporter } from 'nodemailer'
import { destinationPolicy, mayConnect } from '../../kit/destination.ts'
import type { SecretBox } from '../../kit/secret-box.ts'
import { openAccess, type SmtpAccess } from './mail-server.ts'
import type { MailSettings, SendingServer } from './sending-server.ts'

export type MailTransport = Transporter

const TIMEOUT_MS = 10_000
/** A server that accepts a connection and says nothing must not hold up the queue. */
const timeouts = {
  connectionTimeout: TIMEOUT_MS,
  greetingTimeout: TIMEOUT_MS,
  socketTimeout: 2 * TIMEOUT_MS,
}

/**
 * The address to connect to. The dashboard's users choose the host, so the operator's rules for webhooks apply to it too: without
 * encryption, only internal addresses that the operator allows.
 */
async function allowedAddress({ host, security }: SmtpAccess, settings: MailSettings): Promise<string> {
  const policy = destinationPolicy(settings)
  const scheme = security === 'none' ? 'http:' : 'https:'
  const addresses = await lookup(host, { all: true })
  const allowed = addresses.find(({ address }) => mayConnect(address, policy, scheme))
  if (!allowed)
    throw new Error(
      security === 'none'
        ? `${host} can't be used without encryption. Choose STARTTLS or TLS; the operator can allow private addresses with TRIBUTARY_WEBHOOK_ALLOW_CIDRS.`
        : `${host} is a private, link-local or metadata address. The operator can allow private ones with TRIBUTARY_WEBHOOK_ALLOW_CIDRS.`,
    )
  return allowed.address
}

/** The transport of a server. Connects on the first email; close it afterwards. */
export async function openTransport(
  server: SendingServer,
  secrets: SecretBox,
  settings: MailSettings,
): Promise<Transporter> {
  // Loaded on first use, to keep it out of the start.
  const { createTransport } = await import('nodemailer')
  if (server.source === 'environment')
    return createTransport({ url: server.url, ...timeouts }, { from: server.from })
  const access = openAccess(secrets, server.row)
  const { host, port, security, user, password } = access
  return createTransport(
    {
      // The address that was checked, and not the name, which could resolve to another one.
      host: await allowedAddress(access, settings),
      port,
      secure: security === 'tls',
      requireTLS: security === 'starttls',
      ignoreTLS: security === 'none',
      tls: { servername: host },
      ...(user !== null && { auth: { user, pass: password ?? '' } }),
      ...timeouts,
    },
    { from: server.from },
  )
}
