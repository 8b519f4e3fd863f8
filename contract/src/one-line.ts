/**
 * Characters that nobody sees and that make a text look like another one: controls, soft hyphens, zero-width spaces, what turns the
 * direction of writing, separators of lines and paragraphs, fillers. Not among them are the joiners U+200C and U+200D, without which
 * Persian and Indic names and many emoji cannot be written; letters that run from right to left need none of these.
 */
const HIDDEN =
  '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb'

const hidden = new RegExp(`[${HIDDEN}]`)
// A text of several lines keeps its breaks and tabs.
const unseen = new RegExp(`(?![\\t\\n\\r])[${HIDDEN}]`, 'g')

/** Whether a text is what it looks like, and stays on one line. */
export const isOneLine = (text: string): boolean => !hidden.test(text)

/** The same for a note, which may have several lines. */
export const isPlainText = (text: string): boolean => text === withoutHidden(text)

export const HIDDEN_PROBLEM = 'must not contain control characters, invisible characters or direction marks'
export const ONE_LINE_PROBLEM =
  'must be one line without control characters, invisible characters or direction marks'

/** What others wrote, as it may be shown: what was kept before such characters were refused may still hold them. */
export const withoutHidden = (text: string): string => text.replace(unseen, '')
