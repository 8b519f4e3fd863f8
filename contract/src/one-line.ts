/**
 * Invisible characters that make one text look like another: controls, soft hyphens, zero-width spaces, bidirectional controls,
 * line and paragraph separators, fillers. The joiners U+200C and U+200D are allowed: Persian and Indic names and many emoji need
 * them. Right-to-left text needs none of the excluded ones.
 */
const HIDDEN =
  '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb'

const hidden = new RegExp(`[${HIDDEN}]`)
// Multi-line text keeps its line breaks and tabs.
const unseen = new RegExp(`(?![\\t\\n\\r])[${HIDDEN}]`, 'g')

/** Whether a text has no hidden characters and is a single line. */
export const isOneLine = (text: string): boolean => !hidden.test(text)

/** The same for a note, which may have multiple lines. */
export const isPlainText = (text: string): boolean => text === withoutHidden(text)

export const HIDDEN_PROBLEM = 'must not contain control characters, invisible characters or direction marks'
export const ONE_LINE_PROBLEM =
  'must be one line without control characters, invisible characters or direction marks'

/** User input, safe to display: text stored before these characters were refused may still contain them. */
export const withoutHidden = (text: string): string => text.replace(unseen, '')
