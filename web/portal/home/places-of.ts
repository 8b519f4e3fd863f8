import type { Leaderboard } from '@tributary/contract/portal'

type Row = Leaderboard['rows'][number]
export type Place = Row & { affiliates: number }

/** The rows of a leaderboard. Hidden affiliates who share a place, and so have the same number, are one row after the others of it. */
export function placesOf(rows: Row[]): Place[] {
  const places = [...new Set(rows.map(({ place }) => place))]
  return places.flatMap(place => {
    const sharing = rows.filter(row => row.place === place)
    const shown = sharing.filter(({ name, is_me }) => is_me || name !== null)
    const [hidden] = sharing.filter(row => !shown.includes(row))
    return [
      ...shown.map(row => ({ ...row, affiliates: 1 })),
      ...(hidden ? [{ ...hidden, affiliates: sharing.length - shown.length }] : []),
    ]
  })
}
