import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import '../ui/ui.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { worthRetrying } from '../ui/send.ts'
import { theme } from '../ui/theme.ts'
import { makeRouter } from './router.tsx'
import { isSignedOut } from './shared/api.ts'
import { queryKeys } from './shared/query-keys.ts'

/** Lets the router ask for the session again, which leads to the sign-in page if there is none. */
function onError(error: Error) {
  // Only for the first of several calls that are refused, and not for visitors who have yet to sign in.
  if (!isSignedOut(error) || !queries.getQueryData(queryKeys.session())) return
  queries.removeQueries({ queryKey: queryKeys.session() })
  void router.invalidate()
}

const queries = new QueryClient({
  queryCache: new QueryCache({ onError }),
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
