import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import '../ui/ui.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { hashKey, MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { worthRetrying } from '../ui/send.ts'
import { theme } from '../ui/theme.ts'
import { makeRouter } from './router.tsx'
import { isSignedOut } from './shared/api.ts'
import { queryKeys } from './shared/query-keys.ts'
import { sessionQuery } from './shared/session-query.ts'

/** After a refused call, asks for the session again: it may be a newer one, of another tab. Not for visitors who have yet to sign in. */
function onError(error: Error) {
  if (!isSignedOut(error) || !queries.getQueryData(queryKeys.session())) return
  // In place, since pages watch this query. If it fails, `endSession` is called.
  queries.fetchQuery({ ...sessionQuery, staleTime: 0 }).catch(() => undefined)
}

/** Lets the router find that there is no session, which leads to the sign-in page. */
function endSession(error: Error) {
  if (!isSignedOut(error) || !queries.getQueryData(queryKeys.session())) return
  queries.removeQueries({ queryKey: queryKeys.session() })
  void router.invalidate()
}

const isOfSession = ({ queryHash }: { queryHash: string }) => queryHash === hashKey(queryKeys.session())

const queries = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => (isOfSession(query) ? endSession(error) : onError(error)),
  }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: worthRetrying,
    },
  },
})
const router = makeRouter(queries)

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <MantineProvider theme={theme} defaultColorScheme="auto">
        <Notifications position="bottom-right" />
        <RouterProvider router={router} />
      </MantineProvider>
    </QueryClientProvider>
  </StrictMode>,
)
