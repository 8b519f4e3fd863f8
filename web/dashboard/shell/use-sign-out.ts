import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { showError } from '../shared/account.tsx'
import { fetchSession, isSignedOut, personCall } from '../shared/api.ts'

/** Signs out here, or on all devices. */
export function useSignOut(): (path: 'session' | 'sessions') => Promise<void> {
  const navigate = useNavigate()
  const queries = useQueryClient()
  return async path => {
    try {
      // After signing in again in another tab, the CSRF token of this page is refused.
      await fetchSession()
      await personCall('DELETE', path)
    } catch (error) {
      // Without a session there is nothing to end here. Other devices may still be signed in.
      if (!isSignedOut(error) || path === 'sessions') showError(error as Error)
      if (!isSignedOut(error)) return
    }
    queries.clear()
    await navigate({ to: '/signin' })
  }
}
