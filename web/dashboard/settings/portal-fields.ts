export const isColour = (text: string) => /^#[0-9a-f]{6}$/i.test(text)

/** The non-empty lines of a text, trimmed. */
export const linesOf = (text: string) =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean)
