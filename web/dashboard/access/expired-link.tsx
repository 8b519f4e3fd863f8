import { Alert, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { ApiError } from '../shared/api.ts'
import { texts as shared } from '../shared/en.ts'
import { CardPage } from './card-page.tsx'
import { texts } from './en.ts'

/** Shown for a link that is expired or used, with a way to get a new one. Other errors are shown as they are. */
export function ExpiredLink({
  error,
  title,
  children,
}: {
  error: Error
  title: string
  children: ReactNode
}) {
  const isExpired = error instanceof ApiError && [409, 422, 429].includes(error.status)
  return (
    <CardPage title={isExpired ? title : shared.states.failed}>
      <Stack>
        {isExpired ? (
          <Text>{texts.expiredLink}</Text>
        ) : (
          <Alert color="red" role="alert" variant="light">
            {error.message}
          </Alert>
        )}
        {isExpired && children}
      </Stack>
    </CardPage>
  )
}
