import { Fragment } from 'react'
import { breakPoints, hasLongWord } from './break-points.ts'

/** An address or URL that wraps at its separators, not in the middle of a word. */
export function Breakable({ children }: { children: string }) {
  const parts = breakPoints(children)
  return (
    <span style={{ overflowWrap: hasLongWord(parts) ? 'anywhere' : 'break-word' }}>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no identity but their place.
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </span>
  )
}
