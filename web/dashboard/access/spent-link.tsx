import { Alert, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { ApiError } from '../shared/api.ts'
import { CardPage } from './card-page.tsx'

/** What a link shows that cannot be used (any more), with the way to a new one; other problems are shown as what they are. */
export function SpentLink({ error, title, children }: { error: Error; title: string; children: ReactNode }) {
  const isSpent = error instanceof ApiError && [409, 422, 429].includes(error.status)
  return (
    <CardPage title={isSpent ? title : 'Something went wrong'}>
      <Stack>
        {isSpent ? (
          <Text>Links work once and for a limited time.</Text>
        ) : (
          <Alert color="red" role="alert" variant="light">
            {error.message}
          </Alert>
        )}
        {isSpent && children}
      </Stack>
    </CardPage>
  )
}
