import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { personCall } from '../../ui/api.ts'

/** Sends a form of somebody who is not signed in, and keeps what the server says of it. */
export function usePersonForm(path: string, onDone: () => void | Promise<void>) {
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
  return { submit, error, isBusy }
}

/** The fields of a form as it was submitted. */
export const fieldsOf = (form: HTMLFormElement) =>
  Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]))
