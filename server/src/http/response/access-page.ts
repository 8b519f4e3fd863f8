import { readableOn, textOn } from '@tributary/contract/portal/brand-colour'
import { escapeHtml } from '../../kit/escape-html.ts'

export interface AccessPage {
  title: string
  text: string
  /** Submits the form, or links to `href`. */
  button?: { label: string; href?: string }
  /** Whether a script submits the form on load. */
  submitsItself?: boolean
  /** What was entered before, to be checked before it is sent. */
  answers?: { label: string; items: { question: string; answer: string }[] }
  /** What the button accepts: a text, or a link to it. */
  terms?: { label: string; text: string | null; link: { label: string; href: string } | null; note: string }
  company?: string | undefined
  colour: string
  logo: string | null
  /** URL of the favicon; null for none, and then the browser does not request one. */
  icon: string | null
  styleNonce: string
}

function renderTerms({ label, text, link, note }: NonNullable<AccessPage['terms']>): string {
  // Focusable, so that the keyboard can scroll it.
  const shown =
    text === null
      ? ''
      : `<section class="terms" aria-label="${escapeHtml(label)}" tabindex="0">${escapeHtml(text)}</section>\n`
  const linked =
    link === null
      ? ''
      : ` <a href="${escapeHtml(link.href)}" target="_blank" rel="noreferrer">${escapeHtml(link.label)}</a>`
  return `${shown}<p>${escapeHtml(note)}${linked}</p>\n`
}

function renderAnswers({ label, items }: NonNullable<AccessPage['answers']>): string {
  const rows = items.map(
    ({ question, answer }) => `<dt>${escapeHtml(question)}</dt>\n<dd>${escapeHtml(answer)}</dd>\n`,
  )
  return `<section class="answers" aria-label="${escapeHtml(label)}">\n<h2>${escapeHtml(label)}</h2>\n<dl>\n${rows.join('')}</dl>\n</section>\n`
}

/** A page with one button that works without scripts: shown for a portal link before the link is used. */
export function renderAccessPage({
  title,
  text,
  button,
  submitsItself,
  answers,
  terms,
  company,
  colour,
  logo,
  icon,
  styleNonce,
}: AccessPage): string {
  const name = company && escapeHtml(company)
  const mark = logo ? `<img src="${escapeHtml(logo)}" alt="${name}" height="40">` : `<strong>${name}</strong>`
  const label = button && escapeHtml(button.label)
  const action = button?.href
    ? `<a class="button" href="${escapeHtml(button.href)}">${label}</a>`
    : `<form method="post"><button class="button">${label}</button></form>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${escapeHtml(icon ?? 'data:,')}">
<link rel="stylesheet" href="/assets/font.css">
<link rel="stylesheet" href="/assets/access-page.css">
<style nonce="${styleNonce}">:root{--brand:${readableOn('#ffffff', colour)};--on-brand:${textOn(readableOn('#ffffff', colour))}}</style>
</head>
<body>
<main>
${name ? `<header>${mark}</header>\n` : ''}<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>
${answers ? renderAnswers(answers) : ''}${terms ? renderTerms(terms) : ''}${button ? action : ''}
</main>
${submitsItself ? '<script src="/assets/access-page.js" defer></script>' : ''}
</body>
</html>`
}
