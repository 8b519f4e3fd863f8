import { fetchSession } from './api.ts'
import { queryKeys } from './query-keys.ts'

/** The current session, cached for a minute. */
export const sessionQuery = { queryKey: queryKeys.session(), queryFn: fetchSession, staleTime: 60_000 }
