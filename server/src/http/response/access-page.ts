import { readableOn, textOn } from '@tributary/contract/portal/brand-colour'
import { escapeHtml } from '../../kit/escape-html.ts'

export interface AccessPage {
  title: string
  text: string
  /** Sends the form, or leads elsewhere. */
  button?: { label: string; href?: string }
  /** Whether the form sends itself where scripts run. */
  submitsItself?: boolean
  company?: string | undefined
  colour: string
  logo: string | null
  /** The picture of the browser's tab; null for none, so that the browser asks for none. */
  icon: string | null
  styleNonce: string
}

/** A page with one button, which works without scripts: what a link to the portal shows before it is used up. */
export function renderAccessPage({
  title,
  text,
  button,
  submitsItself,
  company,
  colour,
  logo,
  icon,
  styleNonce,
}: AccessPage): string {
  const name = company && escapeHtml(company)
  const mark = logo ? `<img src="${escapeHtml(logo)}" alt="${name}" height="40">` : `<strong>${name}</strong>`
  const label = button && escapeHtml(button.label)
  const way = button?.href
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
<link rel="stylesheet" href="/assets/access-page.css">
<style nonce="${styleNonce}">:root{--brand:${readableOn('#ffffff', colour)};--on-brand:${textOn(readableOn('#ffffff', colour))}}</style>
</head>
<body>
<main>
${name ? `<header>${mark}</header>\n` : ''}<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>
${button ? way : ''}
</main>
${submitsItself ? '<script src="/assets/access-page.js" defer></script>' : ''}
</body>
</html>`
}
