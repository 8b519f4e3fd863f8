import type { Call, List, Page } from './results.ts'

/** The API's maximum, to iterate with as few requests as possible. */
const PAGE_SIZE = 100

export const createList = <T extends { id: number }>(
  fetchPage: (query: object) => Call<Page<T>>,
  query: object,
): List<T> => ({
  page: () => fetchPage(query),

  async *[Symbol.asyncIterator]() {
    let startingAfter = {}
    for (;;) {
      const { data, has_more } = await fetchPage({ limit: PAGE_SIZE, ...query, ...startingAfter })
      yield* data
      const last = data.at(-1)
      if (!has_more || !last) return
      startingAfter = { starting_after: last.id }
    }
  },
})
