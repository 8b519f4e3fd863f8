import { inflateSync } from 'node:zlib'

const streamAt = (bytes: Buffer, from: number): string => {
  const begin = bytes.indexOf('stream\n', from) + 'stream\n'.length
  const end = bytes.indexOf('\nendstream', begin)
  return inflateSync(bytes.subarray(begin, end)).toString('latin1')
}

/** The character of each glyph in a font. */
function glyphsOf(map: string): Map<number, string> {
  const glyphs = new Map<number, string>()
  for (const [, first = '', list = ''] of map.matchAll(/<(\w+)> <\w+> \[([^\]]*)\]/g))
    list.match(/<[\w ]+>/g)?.forEach((hex, index) => {
      const units = hex.slice(1, -1).match(/\w{4}/g) ?? []
      const text = String.fromCharCode(...units.map(unit => Number.parseInt(unit, 16)))
      glyphs.set(Number.parseInt(first, 16) + index, text)
    })
  return glyphs
}

/** The pages of a document as text, one line for each drawn piece. Supports only PDFs written by pdfkit. */
export function pdfPages(bytes: Buffer): string[] {
  const objects = new Map<string, { at: number; head: string }>()
  for (const { index, 1: id = '' } of bytes.toString('latin1').matchAll(/^(\d+) 0 obj$/gm)) {
    const end = bytes.indexOf('endobj', index)
    const stream = bytes.indexOf('stream\n', index)
    const headEnd = stream > 0 && stream < end ? stream : end
    objects.set(id, { at: index, head: bytes.toString('latin1', index, headEnd) })
  }
  const find = (id: string | undefined) => {
    const found = objects.get(id ?? '')
    if (!found) throw new Error(`The document has no object ${id}.`)
    return found
  }
  const fonts = new Map<string, Map<number, string>>()
  for (const { head } of objects.values())
    for (const [, name = '', id] of head.matchAll(/\/(F\d+) (\d+) 0 R/g))
      if (!fonts.has(name)) {
        const [, map] = /\/ToUnicode (\d+) 0 R/.exec(find(id).head) ?? []
        fonts.set(name, glyphsOf(streamAt(bytes, find(map).at)))
      }

  const drawn = (content: string): string => {
    const lines: string[] = []
    let font = new Map<number, string>()
    for (const [, name, pieces] of content.matchAll(/\/(F\d+) [\d.]+ Tf|\[([^\]]*)\] TJ/g))
      if (name !== undefined) font = fonts.get(name) ?? font
      else {
        const hex = (pieces?.match(/<\w+>/g) ?? []).map(piece => piece.slice(1, -1)).join('')
        lines.push((hex.match(/\w{4}/g) ?? []).map(id => font.get(Number.parseInt(id, 16)) ?? '?').join(''))
      }
    return lines.join('\n')
  }
  return [...objects.values()]
    .filter(({ head }) => /\/Type \/Page$/m.test(head))
    .map(({ head }) => drawn(streamAt(bytes, find(/\/Contents (\d+) 0 R/.exec(head)?.[1]).at)))
}
