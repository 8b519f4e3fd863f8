import { Button, Container } from '@mantine/core'
import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import { EmptyState, ErrorNotice } from '../shared/states.tsx'

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
      title="There is no such page"
      action={
        <Button component={Link} to="/" variant="light">
          To the dashboard
        </Button>
      }
    >
      The address may be mistyped, or what it showed is gone.
    </EmptyState>
  )
}

/** Somebody who was removed from their last account still has a sign-in. */
export function NoAccount() {
  return (
    <EmptyState title="You are in no account">
      Whoever runs the programme can invite you again. The link in that mail brings you in.
    </EmptyState>
  )
}
