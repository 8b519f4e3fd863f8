/** A successful answer with what HTTP says about it. */
export interface Answer<T> {
  data: T
  /** 201 where something was created, 200 where it was there already. */
  status: number
  headers: Headers
}

/** The result of a call; or, with `withResponse()`, the result and what HTTP says about it. */
export interface Call<T> extends Promise<T> {
  withResponse(): Promise<Answer<T>>
}

export interface Page<T> {
  data: T[]
  /** Whether older items follow. */
  has_more: boolean
}

/** All that match, newest first, fetched page by page while they are walked over. */
export interface List<T> extends AsyncIterable<T> {
  /** One page alone; `limit` and `starting_after` among the filters say which. */
  page(): Call<Page<T>>
}
