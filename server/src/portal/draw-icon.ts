import { textOn } from '@tributary/contract/portal/brand-colour'
import { escapeHtml } from '../kit/escape-html.ts'

/** The favicon of an account without a logo: its initial on its colour. */
export function drawIcon(company: string, colour: string): string {
  const [initial = ''] = company.trim().toUpperCase()
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${colour}"/><text x="16" y="23" text-anchor="middle" font-family="system-ui,sans-serif" font-size="20" font-weight="700" fill="${textOn(colour)}">${escapeHtml(initial)}</text></svg>`
}
