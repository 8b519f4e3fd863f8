import { parseUrl } from './url.ts'

/** Whether a text is an absolute http(s) URL of a length that every browser accepts. */
export const isWebAddress = (text: string) =>
  text.length <= 2048 && ['http:', 'https:'].includes(parseUrl(text)?.protocol ?? '')
