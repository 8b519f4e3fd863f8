import { withoutHidden } from '@tributary/contract/one-line'
import { textOn } from '@tributary/contract/portal/brand-colour'
import { escapeHtml } from '../kit/escape-html.ts'
import { type MailSection, sectionAsHtml, sectionAsText } from './render-section.ts'

export interface Mail {
  kind: string
  subject: string
  /** Paragraphs. */
  lines: string[]
  /** Tables after the paragraphs. */
  sections?: MailSection[]
  action?: { label: string; url: string }
  note?: string
  /** Where replies go, if not to the service's own address. */
  replyTo?: string
  /** Why the recipient gets it, and where they unsubscribe. */
  unsubscribe?: { reason: string; label: string; url: string }
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

const small = (html: string) => `<p style="margin:24px 0 0;color:#667;font-size:14px">${html}</p>`

/** The email as plain text, and as HTML simple enough to look the same in every mail client. */
export function renderMail(
  { subject, lines, sections = [], action, note, unsubscribe }: Mail,
  sender?: Sender,
): { text: string; html: string } {
  const paragraphs = [
    ...lines,
    ...sections.map(sectionAsText),
    ...(action ? [`${action.label}:\n${action.url}`] : []),
    ...(note ? [note] : []),
    ...(unsubscribe ? [`${unsubscribe.reason}\n${unsubscribe.label}:\n${unsubscribe.url}`] : []),
    ...(sender ? [`-- \n${sender.name}`] : []),
  ]
  const text = withoutHidden(paragraphs.join('\n\n'))
  const colour = sender?.colour ?? OUR_COLOUR
  const button = action
    ? `<p style="margin:24px 0"><a href="${escapeHtml(action.url)}" style="background:${colour};color:${textOn(colour)};padding:12px 20px;border-radius:6px;text-decoration:none;display:inline-block">${escapeHtml(action.label)}</a></p>`
    : ''
  const footer = unsubscribe
    ? small(
        `${escapeHtml(unsubscribe.reason)} <a href="${escapeHtml(unsubscribe.url)}" style="color:#667">${escapeHtml(unsubscribe.label)}</a>`,
      )
    : ''
  const head = sender ? header(sender) : ''
  const html =
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>` +
    `<body style="margin:0;padding:32px 16px;font:16px/1.5 system-ui,sans-serif;color:#1c2128"><div style="max-width:520px;margin:0 auto">` +
    `${head}${lines.map(paragraph).join('')}${sections.map(sectionAsHtml).join('')}${button}` +
    `${note ? small(escapeHtml(note)) : ''}${footer}</div></body></html>`
  return { text: `${text}\n`, html }
}
