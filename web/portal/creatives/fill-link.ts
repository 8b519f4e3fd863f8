const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => text.replaceAll(/[&<>"]/g, character => entities[character] as string)

/** A text with the affiliate's link in it. */
export const fillLink = (text: string, link: string) => text.replaceAll('{link}', () => link)

/** The HTML that shows a banner on the affiliate's own site, linked with their link. */
export function embedCode(
  {
    id,
    name,
    file,
  }: { id: number; name: string; file: { version: string; width: number | null; height: number | null } },
  base: string,
  link: string,
): string {
  const size = file.width && file.height ? ` width="${file.width}" height="${file.height}"` : ''
  const source = `${base}/creative/${id}/${file.version}`
  return `<a href="${escaped(link)}"><img src="${escaped(source)}" alt="${escaped(name)}"${size}></a>`
}
