import type { Guide, Section } from './guides.ts'

export interface Found extends Section {
  guideTitle: string
  excerpt: string
}

const MOST_FOUND = 20
const EXCERPT_LENGTH = 180

/** The text around the first match. */
function excerptOf(text: string, words: string[]): string {
  const flat = text.replaceAll(/[\s|]+/g, ' ').trim()
  const lower = flat.toLowerCase()
  const first = Math.min(...words.map(word => lower.indexOf(word)).filter(at => at >= 0), flat.length)
  const from = Math.max(0, Math.min(first, flat.length) - EXCERPT_LENGTH / 3)
  const piece = flat.slice(from, from + EXCERPT_LENGTH)
  return `${from > 0 ? '…' : ''}${piece}${from + EXCERPT_LENGTH < flat.length ? '…' : ''}`
}

const countOf = (text: string, word: string) => text.split(word).length - 1

/** Sections that contain every word of the query; matches in headings weigh more than matches in the text. */
export function searchGuides(guides: Guide[], query: string): Found[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const scored = guides.flatMap(guide =>
    guide.sections.flatMap(section => {
      const title = section.title.toLowerCase()
      const text = section.text.toLowerCase()
      if (!words.every(word => title.includes(word) || text.includes(word))) return []
      const score = words.reduce(
        (sum, word) => sum + 10 * countOf(title, word) + Math.min(5, countOf(text, word)),
        0,
      )
      return [
        { score, section: { ...section, guideTitle: guide.title, excerpt: excerptOf(section.text, words) } },
      ]
    }),
  )
  return scored
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MOST_FOUND)
    .map(({ section }) => section)
}
