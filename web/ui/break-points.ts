/** A longer part may be broken anywhere: it would make its column too wide. */
const LONGEST_WORD = 32

/** Splits an address where a reader would: before the @, after the slashes, hyphens and separators of a URL. */
export const breakPoints = (text: string): string[] => text.split(/(?<=[^/]\/)(?!\/)|(?=@)|(?<=[?&=_-])/)

export const hasLongWord = (parts: string[]) => parts.some(part => part.length > LONGEST_WORD)
