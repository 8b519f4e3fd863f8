import { escapeHtml } from '../kit/escape-html.ts'

interface Row {
  label: string
  url?: string
  value?: string
  /** What the value is compared with. */
  note?: string
}

/** A table of an email. */
export interface MailSection {
  title: string
  rows: Row[]
}

export const sectionAsText = ({ title, rows }: MailSection): string =>
  [
    title,
    ...rows.map(({ label, url, value, note }) =>
      [`${label}${value ? `: ${value}` : ''}${note ? ` (${note})` : ''}`, ...(url ? [url] : [])].join('\n'),
    ),
  ].join('\n')

const CELL = 'padding:8px 0;border-top:1px solid #e4e7ec;vertical-align:top'

/** Inline styles: mail clients drop style sheets. A name without spaces wraps instead of widening the table. */
export const sectionAsHtml = ({ title, rows }: MailSection): string =>
  `<h2 style="margin:24px 0 8px;font-size:16px">${escapeHtml(title)}</h2>` +
  `<table style="width:100%;border-collapse:collapse;font-size:15px">${rows.map(rowAsHtml).join('')}</table>`

function rowAsHtml({ label, url, value = '', note }: Row): string {
  const name = url
    ? `<a href="${escapeHtml(url)}" style="color:#1c2128">${escapeHtml(label)}</a>`
    : escapeHtml(label)
  const small = note ? `<br><span style="color:#667;font-size:13px">${escapeHtml(note)}</span>` : ''
  return (
    `<tr><th scope="row" style="${CELL};text-align:left;font-weight:400;overflow-wrap:anywhere">${name}</th>` +
    `<td style="${CELL};padding-left:16px;text-align:right;white-space:nowrap"><strong>${escapeHtml(value)}</strong>${small}</td></tr>`
  )
}
