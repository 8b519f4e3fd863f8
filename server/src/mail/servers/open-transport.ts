import { lookup } from 'node:dns/promises'
import { Socket } from 'node:net'
import type { SendMailOptions, Transporter } from 'nodemailer'
import { destinationPolicy, mayConnect } from '../../kit/destination.ts'
import type { SecretBox } from '../../kit/secret-box.ts'
import { openAccess, type SmtpAccess } from './mail-server.ts'
import type { MailSettings, SendingServer } from './sending-server.ts'

const TIMEOUT_MS = 10_000
/** A server that accepts a connection and says nothing must not hold up the queue. */
const timeouts = {
  connectionTimeout: TIMEOUT_MS,
  greetingTimeout: TIMEOUT_MS,
  socketTimeout: 2 * TIMEOUT_MS,
}

/** The time-outs of a connection end with every byte; this one ends a server that sends one at a time. */
const LONGEST_SEND_MS = 60_000

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

/** The transport of one email, which connects the socket. */
export async function openTransport(
  server: SendingServer,
  secrets: SecretBox,
  settings: MailSettings,
  socket: Socket,
): Promise<Transporter> {
  // Loaded on first use, to keep it out of the start.
  const { createTransport } = await import('nodemailer')
  if (server.source === 'environment')
    return createTransport({ url: server.url, socket, ...timeouts }, { from: server.from })
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
      socket,
      ...(user !== null && { auth: { user, pass: password ?? '' } }),
      ...timeouts,
    },
    { from: server.from },
  )
}

/** Sends one email. A server that takes too long is left: without its socket, nothing waits for it any more. */
export async function sendThrough(
  server: SendingServer,
  secrets: SecretBox,
  settings: MailSettings,
  message: SendMailOptions,
  longestMs = LONGEST_SEND_MS,
): Promise<void> {
  const socket = new Socket()
  const transport = await openTransport(server, secrets, settings, socket)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`The server took longer than ${longestMs / 1000} s`))
      socket.destroy()
    }, longestMs)
  })
  try {
    await Promise.race([transport.sendMail(message), late])
  } finally {
    clearTimeout(timer)
    transport.close()
  }
}
