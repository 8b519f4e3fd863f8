import type { Me } from '@tributary/contract/portal'
import { createContext, useContext } from 'react'

const MeContext = createContext<Me | null>(null)
export const MeProvider = MeContext.Provider

/** The signed-in affiliate. */
export function useMe(): Me {
  const me = useContext(MeContext)
  if (!me) throw new Error('useMe must be used inside a MeProvider.')
  return me
}
