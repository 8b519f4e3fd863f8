import type { Me } from '@tributary/contract/portal'
import { createContext, useContext } from 'react'

const MeContext = createContext<Me | null>(null)
export const MeProvider = MeContext.Provider

/** The affiliate whose portal this is. */
export function useMe(): Me {
  const me = useContext(MeContext)
  if (!me) throw new Error('Nobody is signed in around this part of the page.')
  return me
}
