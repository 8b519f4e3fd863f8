/** Parses one search parameter. A malformed value counts as absent. */
type Reader<T> = (value: unknown) => T | undefined

type Read<Readers> = {
  [Name in keyof Readers]?: Readers[Name] extends Reader<infer T> ? T : never
}

/**
 * Parses the search parameters of a page. Parsing is idempotent, since the router validates a URL each time it builds one. Every
 * name is in the result, so that it overrides a malformed value in the URL.
 */
export const searchOf =
  <Readers extends Record<string, Reader<unknown>>>(readers: Readers) =>
  (search: Record<string, unknown>): Read<Readers> =>
    Object.fromEntries(
      Object.entries(readers).map(([name, read]) => [name, read(search[name])]),
    ) as Read<Readers>

export const text: Reader<string> = value => (typeof value === 'string' && value !== '' ? value : undefined)

/** A row's id: a number in code, its digits in the URL. */
export const id: Reader<number> = value => (/^\d{1,15}$/.test(String(value)) ? Number(value) : undefined)

export const oneOf =
  <const Values extends readonly string[]>(values: Values): Reader<Values[number]> =>
  value =>
    values.find(each => each === value)

export const yesOrNo: Reader<boolean> = value =>
  String(value) === 'true' ? true : String(value) === 'false' ? false : undefined

/** A filter that is either set or not. */
export const isSet: Reader<true> = value => (String(value) === 'true' ? true : undefined)

/** A calendar date, as a date input formats it. */
export const day: Reader<string> = value =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? value : undefined

/** Plain strings, as people type them into the address bar. */
export const parseSearch = (address: string): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(address))

export function stringifySearch(search: Record<string, unknown>): string {
  const given = Object.entries(search).filter(([, value]) => value !== undefined)
  const address = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return address ? `?${address}` : ''
}
