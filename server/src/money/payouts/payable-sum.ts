import { createHash } from 'node:crypto'
import { headOf, type PayableRow, type PayableScope, type PayableSummary } from '../ledger/payable.ts'

/** Totals the streamed rows of a preview, exactly as the ledger does in one statement. */
export class PayableSum {
  readonly #hash = createHash('sha256')

  constructor(scope: PayableScope) {
    this.#hash.update(headOf(scope))
  }
  #items = 0
  #totalMinor = 0
  readonly #excluded: PayableSummary['excluded'] = {}

  add({ reason, payable_minor, content }: PayableRow & { content: string }): void {
    if (reason !== null) this.#excluded[reason] = (this.#excluded[reason] ?? 0) + 1
    else {
      this.#items++
      this.#totalMinor += payable_minor
      this.#hash.update(`${content}\n`)
    }
  }

  /** Call once: it finalizes the digest. */
  summary(): PayableSummary {
    return {
      items: this.#items,
      total_minor: this.#totalMinor,
      digest: this.#hash.digest('hex'),
      excluded: this.#excluded,
    }
  }
}
