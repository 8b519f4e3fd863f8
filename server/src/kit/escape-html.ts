import { withoutHidden } from '@tributary/contract/one-line'

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A text as markup that shows it and does nothing else, between tags and within quoted attributes. */
export const escapeHtml = (text: string) =>
  withoutHidden(text).replaceAll(/[&<>"']/g, character => entities[character] ?? character)
