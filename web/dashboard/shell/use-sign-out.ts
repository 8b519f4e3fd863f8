import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { showError } from '../shared/account.tsx'
import { personCall } from '../shared/api.ts'

/** Signs out here, or on all devices. */
export function useSignOut(): (path: 'session' | 'sessions') => Promise<void> {
  const navigate = useNavigate()
  const queries = useQueryClient()
  return async path => {
    try {
      await personCall('DELETE', path)
      queries.clear()
      await navigate({ to: '/signin' })
    } catch (error) {
      showError(error as Error)
    }
  }
}
