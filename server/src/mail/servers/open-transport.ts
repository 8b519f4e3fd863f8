import { lookup } from 'node:dns/promises'
import { Socket } from 'node:net'
import type { SendMailOptions, Transporter } from 'nodemailer'
import { destinationPolicy, mayConnect } from '../../kit/destination.ts'
import type { SecretBox } from '../../kit/secret-box.ts'
import { LONGEST_REPLY_MS, LONGEST_SEND_MS } from '../send-limits.ts'
import { openAccess, type SmtpAccess } from './mail-server.ts'
import type { MailSettings, SendingServer } from './sending-server.ts'

const TIMEOUT_MS = 10_000
/** A server that accepts a connection and says nothing must not hold up the queue. Later ones are `sendThrough`'s. */
const timeouts = {
  connectionTimeout: TIMEOUT_MS,
  greetingTimeout: TIMEOUT_MS,
  socketTimeout: LONGEST_SEND_MS + LONGEST_REPLY_MS,
}

export interface SmtpError extends Error {
  /** What the server answered, and to which command; without an answer, there is no code. */
  responseCode?: number
  command?: string
  /** The server has the whole email and didn't say whether it took it: it may still arrive. */
  isUnanswered?: boolean
}

export interface SendLimits {
  longestSendMs?: number | undefined
  longestReplyMs?: number | undefined
  /** Once it's aborted, a reply is awaited for `stopMs` only. */
  signal?: AbortSignal | undefined
  stopMs?: number | undefined
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

/**
 * Sends one email. A server that takes too long is left: without its socket, nothing waits for it any more. Resolving its name counts too.
 * Throws an `SmtpError`.
 */
export async function sendThrough(
  server: SendingServer,
  secrets: SecretBox,
  settings: MailSettings,
  message: SendMailOptions,
  {
    longestSendMs = LONGEST_SEND_MS,
    longestReplyMs = LONGEST_REPLY_MS,
    signal,
    stopMs = TIMEOUT_MS,
  }: SendLimits = {},
): Promise<void> {
  const socket = new Socket()
  let reject: (error: Error) => void = () => undefined
  const late = new Promise<never>((_, lateReject) => {
    reject = lateReject
  })
  let isHandedOver = false
  let timer: NodeJS.Timeout | undefined
  const leaveAfter = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      reject(
        new Error(`The server took longer than ${ms / 1000} s${isHandedOver ? ' to confirm the email' : ''}`),
      )
      socket.destroy()
    }, ms)
  }
  const awaitReply = () => {
    isHandedOver = true
    leaveAfter(signal?.aborted ? stopMs : longestReplyMs)
  }
  const onStop = () => isHandedOver && leaveAfter(stopMs)
  const send = async () => {
    const transport = await openTransport(server, secrets, settings, socket)
    // Its name took too long to resolve.
    if (socket.destroyed) return
    transport.use('stream', (mail, done) => {
      // What is written waits until the server asks for it: the end is read once the server has been sent everything.
      mail.message.processFunc(input => input.once('end', awaitReply))
      done()
    })
    try {
      await transport.sendMail(message)
    } finally {
      transport.close()
    }
  }
  signal?.addEventListener('abort', onStop)
  leaveAfter(longestSendMs)
  try {
    await Promise.race([send(), late])
  } catch (error) {
    const isUnanswered = isHandedOver && (error as SmtpError).responseCode === undefined
    throw Object.assign(error as SmtpError, { isUnanswered })
  } finally {
    signal?.removeEventListener('abort', onStop)
    clearTimeout(timer)
  }
}
