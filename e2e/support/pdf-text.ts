import { inflateSync } from 'node:zlib'

const STREAM = /stream\r?\n([\s\S]*?)\r?\nendstream/

function unpacked(object: string): string {
  const data = STREAM.exec(object)?.[1]
  if (data === undefined) return ''
  return object.includes('/FlateDecode') ? inflateSync(Buffer.from(data, 'latin1')).toString('latin1') : data
}

const hexStrings = (text: string) => [...text.matchAll(/<([0-9a-fA-F]*)>/g)].map(([, hex]) => hex as string)

/** What a font's own table says that its glyphs mean. */
function lettersOf(table: string): Map<number, string> {
  const letters = new Map<number, string>()
  for (const [, first, meanings] of table.matchAll(/<([0-9a-fA-F]+)>\s*<[0-9a-fA-F]+>\s*\[([^\]]*)\]/g))
    hexStrings(meanings as string).forEach((hex, place) => {
      const units = (hex.match(/.{4}/g) ?? []).map(unit => Number.parseInt(unit, 16))
      letters.set(Number.parseInt(first as string, 16) + place, String.fromCharCode(...units))
    })
  return letters
}

/** The pieces of text of a PDF, in the order in which they were written. Reads what we write, which is enough for a test. */
export function pdfText(file: Buffer): string[] {
  const objects = new Map<number, string>()
  for (const [, id, body] of file.toString('latin1').matchAll(/(\d+) 0 obj\n([\s\S]*?)\nendobj/g))
    objects.set(Number(id), body as string)
  const fonts = new Map<string, Map<number, string>>()
  for (const body of objects.values())
    for (const [, name, id] of body.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const table = /\/ToUnicode (\d+) 0 R/.exec(objects.get(Number(id)) ?? '')?.[1]
      if (table) fonts.set(name as string, lettersOf(unpacked(objects.get(Number(table)) as string)))
    }
  const pieces: string[] = []
  for (const body of objects.values()) {
    let letters: Map<number, string> | undefined
    for (const [, font, glyphs] of unpacked(body).matchAll(/\/(F\d+) [\d.]+ Tf|\[([^\]]*)\] TJ/g))
      if (font) letters = fonts.get(font)
      else {
        const ids = hexStrings(glyphs as string).flatMap(hex => hex.match(/.{4}/g) ?? [])
        pieces.push(ids.map(id => letters?.get(Number.parseInt(id, 16)) ?? '\uFFFD').join(''))
      }
  }
  return pieces
}
