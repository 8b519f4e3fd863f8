/** The page of the destination's site that somebody pasted; undefined when it is none. */
export function pageOn(destination: string, text: string): string | undefined {
  try {
    const site = new URL(destination)
    const url = new URL(text, site)
    return url.origin === site.origin ? `${url.pathname}${url.search}${url.hash}` : undefined
  } catch {
    return undefined
  }
}
