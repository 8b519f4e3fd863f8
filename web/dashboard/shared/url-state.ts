import { useNavigate, useSearch } from '@tanstack/react-router'

/** The filters of a list live in its address, so that it can be shared and the back button works. */
export function useFilters(): [
  Record<string, string>,
  (changes: Record<string, string | undefined>) => void,
] {
  const search = useSearch({ strict: false }) as Record<string, string>
  const navigate = useNavigate()
  const set = (changes: Record<string, string | undefined>) => {
    const next = Object.fromEntries(
      Object.entries({ ...search, ...changes }).filter(([, value]) => value !== undefined && value !== ''),
    )
    void navigate({ to: '.', search: next as never, replace: true })
  }
  return [search, set]
}

/** A filter that names a row, as the number that calls take. */
export const asId = (text: string | undefined) => (text && /^\d{1,15}$/.test(text) ? Number(text) : undefined)
