import { fetchSession } from './api.ts'

/** Who is signed in, asked once and kept for a while. */
export const sessionQuery = { queryKey: ['session'], queryFn: fetchSession, staleTime: 60_000 }
