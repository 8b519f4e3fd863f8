import { type RegisteredRouter, type RouteById, useNavigate, useSearch } from '@tanstack/react-router'

type Page = keyof RegisteredRouter['routesById']
export type SearchOf<P extends Page> = RouteById<
  RegisteredRouter['routeTree'],
  P
>['types']['fullSearchSchema']

/** The filters of a page live in its URL, so it can be shared and the back button works. */
export function useFilters<const P extends Page>(page: P) {
  type Values = SearchOf<P>
  type Name = keyof Values
  const values = useSearch({ from: page }) as Values
  const navigate = useNavigate()
  const set = (changes: Partial<Values>) =>
    void navigate({ to: '.', search: (previous: object) => ({ ...previous, ...changes }), replace: true })
  return {
    values,
    set,
    /** The props of an input for one filter. */
    bind: <N extends Name>(name: N) => ({
      value: values[name],
      onChange: (value: Values[N] | undefined) => set({ [name]: value } as Partial<Values>),
    }),
    /** How many of these filters are set. */
    used: (names: readonly Name[]) => names.filter(name => values[name] !== undefined).length,
    clear: (names: readonly Name[]) =>
      set(Object.fromEntries(names.map(name => [name, undefined])) as Partial<Values>),
  }
}
