import type { ReactNode } from 'react'

/** A filter whose values are too long for one place in the grid. */
export const Wide = ({ children }: { children: ReactNode }) => (
  <div style={{ gridColumn: 'span 2' }}>{children}</div>
)
