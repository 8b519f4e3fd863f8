/** Derives a slug: "Größe & Co." becomes "grosse-co"; a name without usable letters, the fallback. */
export function slugFrom(name: string, fallback: string): string {
  const slug = name
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-+|-+$/g, '')
  return slug || fallback
}

export const isSlug = (text: string) => text.length <= 64 && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text)
