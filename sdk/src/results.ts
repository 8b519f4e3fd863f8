/** A successful response with its status and headers. */
export interface Answer<T> {
  data: T
  /** 201 if an object was created, 200 if it already existed. */
  status: number
  headers: Headers
}

/** The result of a call; `withResponse()` adds the status and headers. */
export interface Call<T> extends Promise<T> {
  withResponse(): Promise<Answer<T>>
}

export interface Page<T> {
  data: T[]
  /** Whether there are more items after this page. */
  has_more: boolean
}

/** All matching objects, newest first, fetched page by page while iterating. */
export interface List<T> extends AsyncIterable<T> {
  /** A single page, selected by the filters `limit` and `starting_after`. */
  page(): Call<Page<T>>
}
