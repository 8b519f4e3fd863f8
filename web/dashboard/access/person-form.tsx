import { Alert, Button, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { personCall } from '../shared/api.ts'

/** The values of a submitted form, by field name. */
export const fieldsOf = (form: HTMLFormElement) =>
  Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]))

/** A form for a visitor who is not signed in. Posts its fields under their names and shows the error the server returns. */
export function PersonForm({
  path,
  label,
  bodyOf = fields => fields,
  onDone,
  children,
  below,
}: {
  path: string
  /** The label of the submit button. */
  label: string
  /** Builds the request body, where it holds more than the fields. */
  bodyOf?: (fields: Record<string, string>) => object
  onDone: (result: unknown) => void | Promise<void>
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
      const result = await personCall('POST', path, body)
      queries.clear()
      await onDone(result)
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
