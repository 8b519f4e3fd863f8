import { withoutHidden } from '@tributary/contract/one-line'

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text for element content and quoted attributes. */
export const escapeHtml = (text: string) =>
  withoutHidden(text).replaceAll(/[&<>"']/g, character => entities[character] ?? character)
