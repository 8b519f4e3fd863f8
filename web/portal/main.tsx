import '@mantine/core/styles.css'
import '../ui/ui.css'
import './portal.css'
import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { worthRetrying } from '../ui/send.ts'
import { brandTheme } from './brand-theme.ts'
import { Portal } from './portal.tsx'
import { look } from './shared/look.ts'

const queries = new QueryClient({ defaultOptions: { queries: { staleTime: 5_000, retry: worthRetrying } } })

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <MantineProvider theme={brandTheme(look.colour)} defaultColorScheme="auto">
        <Portal />
      </MantineProvider>
    </QueryClientProvider>
  </StrictMode>,
)
