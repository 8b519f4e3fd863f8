import { fetchSession } from './api.ts'
import { queryKeys } from './query-keys.ts'

/** Who is signed in, asked once and kept for a while. */
export const sessionQuery = { queryKey: queryKeys.session(), queryFn: fetchSession, staleTime: 60_000 }
