import { Button, Container } from '@mantine/core'
import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import { EmptyState, ErrorNotice } from '../shared/states.tsx'
import { texts } from './en.ts'

export function PageError({ error, reset }: ErrorComponentProps) {
  return (
    <Container size="sm" py="xl">
      <ErrorNotice error={error instanceof Error ? error : new Error(String(error))} retry={reset} />
    </Container>
  )
}

export function NotFound() {
  return (
    <EmptyState
      title={texts.notFound.title}
      action={
        <Button component={Link} to="/" variant="light">
          {texts.notFound.action}
        </Button>
      }
    >
      {texts.notFound.text}
    </EmptyState>
  )
}

/** A user who was removed from their last account can still sign in. */
export function NoAccount() {
  return <EmptyState title={texts.noAccount.title}>{texts.noAccount.text}</EmptyState>
}
