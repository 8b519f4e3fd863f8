import { withoutHidden } from '@tributary/contract/one-line'
import { textOn } from '@tributary/contract/portal/brand-colour'
import { escapeHtml } from '../kit/escape-html.ts'

export interface Mail {
  kind: string
  subject: string
  /** Paragraphs. */
  lines: string[]
  action?: { label: string; url: string }
  note?: string
  /** Where replies go, if not to the service's own address. */
  replyTo?: string
}

/** The sender's branding. */
export interface Sender {
  name: string
  colour: string
  logo: string | null
}

const OUR_COLOUR = '#1c6e5a'

/** The logo, with the name as its alternative text, or the name. */
const header = ({ name, logo }: Sender) =>
  `<p style="margin:0 0 24px;font-weight:600">${
    logo
      ? `<img src="${escapeHtml(logo)}" alt="${escapeHtml(name)}" height="36" style="display:block;max-width:240px;border:0">`
      : escapeHtml(name)
  }</p>`

const paragraph = (text: string) =>
  `<p style="margin:0 0 16px">${escapeHtml(text).replaceAll('\n', '<br>')}</p>`

/** The email as plain text, and as HTML simple enough to look the same in every mail client. */
export function renderMail(
  { subject, lines, action, note }: Mail,
  sender?: Sender,
): { text: string; html: string } {
  const paragraphs = [
    ...lines,
    ...(action ? [`${action.label}:\n${action.url}`] : []),
    ...(note ? [note] : []),
    ...(sender ? [`-- \n${sender.name}`] : []),
  ]
  const text = withoutHidden(paragraphs.join('\n\n'))
  const colour = sender?.colour ?? OUR_COLOUR
  const button = action
    ? `<p style="margin:24px 0"><a href="${escapeHtml(action.url)}" style="background:${colour};color:${textOn(colour)};padding:12px 20px;border-radius:6px;text-decoration:none;display:inline-block">${escapeHtml(action.label)}</a></p>`
    : ''
  const small = note ? `<p style="margin:24px 0 0;color:#667;font-size:14px">${escapeHtml(note)}</p>` : ''
  const head = sender ? header(sender) : ''
  const html =
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>` +
    `<body style="margin:0;padding:32px 16px;font:16px/1.5 system-ui,sans-serif;color:#1c2128"><div style="max-width:520px;margin:0 auto">` +
    `${head}${lines.map(paragraph).join('')}${button}${small}</div></body></html>`
  return { text: `${text}\n`, html }
}
