import { Alert, Button, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { personCall } from '../shared/api.ts'

/** The fields of a form as it was submitted. */
export const fieldsOf = (form: HTMLFormElement) =>
  Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]))

/** A form of somebody who is not signed in: its fields are sent as they are named, and what the server says of them is shown. */
export function PersonForm({
  path,
  label,
  bodyOf = fields => fields,
  onDone,
  children,
  below,
}: {
  path: string
  /** What the button does, in words. */
  label: string
  /** What is sent, where it is more than the fields. */
  bodyOf?: (fields: Record<string, string>) => object
  onDone: () => void | Promise<void>
  children: ReactNode
  below?: ReactNode
}) {
  const queries = useQueryClient()
  const [error, setError] = useState<Error | null>(null)
  const [isBusy, setBusy] = useState(false)
  const submit = async (body: object) => {
    setBusy(true)
    setError(null)
    try {
      await personCall('POST', path, body)
      queries.clear()
      await onDone()
    } catch (problem) {
      setError(problem as Error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        void submit(bodyOf(fieldsOf(event.currentTarget)))
      }}
    >
      <Stack>
        {error && (
          <Alert color="red" role="alert" variant="light">
            {error.message}
          </Alert>
        )}
        {children}
        <Button type="submit" loading={isBusy}>
          {label}
        </Button>
        {below}
      </Stack>
    </form>
  )
}
