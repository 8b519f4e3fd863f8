/**
 * Parses a URL; undefined if invalid. Not by URL.canParse: in Node 20, once it has been called often enough to be optimised, it rejects
 * every URL with an umlaut.
 */
export function parseUrl(text: string, base?: URL): URL | undefined {
  try {
    return new URL(text, base)
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}
