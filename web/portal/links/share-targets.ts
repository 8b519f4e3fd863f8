import { pages } from '@tributary/contract/portal/texts'

const { shareBy } = pages.links

export interface ShareTarget {
  label: string
  href: string
}

/** Where a link can be shared by a link alone, without a script of theirs, where the browser has no share sheet. */
export function shareTargets(url: string, text: string): ShareTarget[] {
  const [at, words] = [encodeURIComponent(url), encodeURIComponent(text)]
  const both = encodeURIComponent(`${text} ${url}`)
  return [
    { label: shareBy.email, href: `mailto:?subject=${words}&body=${both}` },
    { label: shareBy.whatsapp, href: `https://wa.me/?text=${both}` },
    { label: shareBy.x, href: `https://x.com/intent/post?text=${words}&url=${at}` },
    { label: shareBy.facebook, href: `https://www.facebook.com/sharer/sharer.php?u=${at}` },
    { label: shareBy.linkedin, href: `https://www.linkedin.com/sharing/share-offsite/?url=${at}` },
  ]
}
