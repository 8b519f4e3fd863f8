import { Fragment } from 'react'

/** A sentence of a catalogue whose parts in `backticks` are code. */
export function CodeText({ children }: { children: string }) {
  return children.split('`').map((part, index) => {
    const key = `${index}${part}`
    return index % 2 === 1 ? <code key={key}>{part}</code> : <Fragment key={key}>{part}</Fragment>
  })
}
