/** The path of a pasted URL on the destination's site; undefined for any other URL. */
export function pageOn(destination: string, text: string): string | undefined {
  try {
    const site = new URL(destination)
    const url = new URL(text, site)
    return url.origin === site.origin ? `${url.pathname}${url.search}${url.hash}` : undefined
  } catch {
    return undefined
  }
}
