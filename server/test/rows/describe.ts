import type pg from 'pg'

export interface DescribedColumn {
  name: string
  typeOid: number
}

type Connection = {
  parse(message: { text: string; name: string; types: [] }): void
  describe(message: { type: 'S'; name: string }): void
  sync(): void
}

/**
 * Has PostgreSQL plan a statement and describe its rows, without running it. The driver only describes what it runs, so this speaks
 * the protocol through its connection; the test fails when a new version of the driver changes that.
 */
class Describe implements pg.Submittable {
  readonly columns: Promise<DescribedColumn[]>
  readonly #text: string
  #found: DescribedColumn[] = []
  #resolve!: (columns: DescribedColumn[]) => void
  #reject!: (error: Error) => void

  constructor(text: string) {
    this.#text = text
    this.columns = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  submit(connection: unknown): void {
    const { parse, describe, sync } = connection as Connection
    parse.call(connection, { text: this.#text, name: '', types: [] })
    describe.call(connection, { type: 'S', name: '' })
    sync.call(connection)
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    this.#found = fields.map(({ name, dataTypeID }) => ({ name, typeOid: dataTypeID }))
  }

  handleError(error: Error): void {
    this.#reject(error)
  }

  handleReadyForQuery(): void {
    this.#resolve(this.#found)
  }
}

/** The columns of the rows that a statement returns, in order. */
export function describeStatement(client: pg.ClientBase, text: string): Promise<DescribedColumn[]> {
  const describe = new Describe(text)
  client.query(describe)
  return describe.columns
}
