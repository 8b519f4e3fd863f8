import { isReportable } from '../earning/occurred-at.ts'

/** `data.items[0].price` as its steps; undefined if it is not a path. */
export function pathSteps(path: string): (string | number)[] | undefined {
  if (!/^[^.[\]]+(?:\[\d{1,4}\])*(?:\.[^.[\]]+(?:\[\d{1,4}\])*)*$/.test(path)) return undefined
  return path
    .split('.')
    .flatMap(part => [
      part.replace(/\[.*/, ''),
      ...Array.from(part.matchAll(/\[(\d+)\]/g), ([, index]) => Number(index)),
    ])
}

/** The value at a path of names and `[n]`; undefined if there is none. Only what the object itself has counts. */
export function valueAt(value: unknown, path: string): unknown {
  let found = value
  for (const step of pathSteps(path) ?? [])
    found =
      typeof found === 'object' &&
      found !== null &&
      Array.isArray(found) === (typeof step === 'number') &&
      Object.hasOwn(found, step)
        ? (found as Record<string | number, unknown>)[step]
        : undefined
  return found
}

const kindOf = (value: unknown) => {
  if (Array.isArray(value)) return 'a list'
  return value === null ? 'null' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** Why a path finds nothing to use, naming the step that fails; undefined if it does. */
export function pathProblem(value: unknown, path: string, wanted: 'text' | 'boolean'): string | undefined {
  let found = value
  let at = ''
  for (const step of pathSteps(path) ?? []) {
    const isIndex = typeof step === 'number'
    const where = at === '' ? 'the sample' : at
    if (typeof found !== 'object' || found === null || Array.isArray(found) !== isIndex)
      return `${where} is ${kindOf(found)}, not ${isIndex ? 'a list' : 'an object'}`
    if (!Object.hasOwn(found, step)) return `${where} has no ${isIndex ? `[${step}]` : step}`
    found = (found as Record<string | number, unknown>)[step]
    at = isIndex ? `${at}[${step}]` : `${at}${at === '' ? '' : '.'}${step}`
  }
  if (found === '') return `${at} is empty`
  const isUsable =
    wanted === 'boolean' ? typeof found === 'boolean' : typeof found === 'string' || typeof found === 'number'
  return isUsable
    ? undefined
    : `${at} is ${kindOf(found)}, not ${wanted === 'boolean' ? 'true or false' : 'text or a number'}`
}

/** The text or number at a path, as text; undefined if it is anything else or empty. */
export function textAt(value: unknown, path: string): string | undefined {
  const found = valueAt(value, path)
  if (typeof found === 'string') return found === '' ? undefined : found
  return typeof found === 'number' ? String(found) : undefined
}

export function listAt(value: unknown, path: string): unknown[] {
  const found = valueAt(value, path)
  return Array.isArray(found) ? found : []
}

/** The object at a path, for free fields that a merchant chose. */
export function fieldsAt(value: unknown, path: string): Record<string, unknown> {
  const found = valueAt(value, path)
  return typeof found === 'object' && found !== null && !Array.isArray(found)
    ? (found as Record<string, unknown>)
    : {}
}

/** A time as RFC 3339; undefined if the text is not one, or of a year that can't be reported. A time without a zone is UTC. */
export function timeFrom(text: string | undefined): string | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\d/.test(text)) return undefined
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/i.test(text) || !text.includes(':')
  const time = new Date(hasZone ? text : `${text.replace(' ', 'T')}Z`)
  return isReportable(time) ? time.toISOString() : undefined
}
