/** The page of the destination's site that was pasted; undefined when it is not one. */
export function pageOn(destination: string, text: string): string | undefined {
  try {
    const site = new URL(destination)
    const url = new URL(text, site)
    return url.origin === site.origin ? `${url.pathname}${url.search}${url.hash}` : undefined
  } catch {
    return undefined
  }
}
