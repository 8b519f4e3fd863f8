/** The weight that an Accept-Encoding header gives a coding: by its name, or else by `*`. */
function weightOf(header: string, coding: string): number | undefined {
  let ofOthers: number | undefined
  for (const part of header.toLowerCase().split(',')) {
    const [name, ...parameters] = part.split(';').map(piece => piece.trim())
    if (name !== coding && name !== '*') continue
    const quality = parameters.find(parameter => parameter.startsWith('q='))
    const weight = quality === undefined ? 1 : Number(quality.slice(2)) || 0
    if (name === coding) return weight
    ofOthers = weight
  }
  return ofOthers
}

/** The content coding to respond with, from those available in order of preference; undefined for identity. */
export function acceptedEncoding<T extends string>(
  header: string | undefined,
  available: T[],
): T | undefined {
  if (!header) return undefined
  const plain = weightOf(header, 'identity') ?? 0
  let best: T | undefined
  let highest = 0
  for (const coding of available) {
    const weight = weightOf(header, coding) ?? 0
    if (weight > highest && weight >= plain) [best, highest] = [coding, weight]
  }
  return best
}
