/** PayPal's response to a call. */
export interface Reply {
  status: number
  body: unknown
}

export interface FakeItem {
  id: string
  senderItemId: string
  receiver: string
  currency: string
  value: string
  status: string
  problem?: { name: string; message: string }
}

interface FakeBatch {
  id: string
  senderBatchId: string
  day: number
  status: string
  items: FakeItem[]
}

interface PayoutRequest {
  sender_batch_header: { sender_batch_id: string }
  items: { receiver: string; sender_item_id: string; amount: { value: string; currency: string } }[]
}

/** One transfer between the merchant and a recipient, in minor units: the ground truth that tests compare with. */
export interface Movement {
  senderItemId: string
  receiver: string
  minor: number
}

const RECOGNISED_DAYS = 30
const MOST_ITEMS = 15_000
const currencies =
  'AUD BRL CAD CHF CZK DKK EUR GBP HKD HUF ILS JPY MXN NOK NZD PLN SEK SGD THB TWD USD'.split(' ')
const withoutDecimals = ['HUF', 'JPY', 'TWD']
const isExact = (value: string, currency: string) =>
  withoutDecimals.includes(currency) ? /^\d+$/.test(value) : /^\d+\.\d\d$/.test(value)

const refusal = (status: number, name: string, message: string, details: object[] = []): Reply => ({
  status,
  body: { name, message, debug_id: 'f1e2d3c4b5a69', details, links: [] },
})

/** The state behind the fake: credentials, batches and transfers. */
export class FakeBank {
  readonly clients = new Map([['client-of-the-tests', 'secret-of-the-tests']])
  readonly batches = new Map<string, FakeBatch>()
  readonly movements: Movement[] = []
  readonly #tokens = new Set<string>()
  readonly #plans = new Map<string, Pick<FakeItem, 'status' | 'problem'>>()
  readonly #selfUrl: () => string
  #ids = 0
  /** The number of authenticated calls. */
  calls = 0

  /** Recipients that PayPal rejects as invalid addresses. */
  readonly refused = new Set<string>()
  /** How many invalid items one error response lists. */
  namedAtOnce = Number.POSITIVE_INFINITY
  expiresIn = 32_400
  /** Advances as days pass; a batch id is deduplicated for thirty of them. */
  day = 0
  /** Where the error for a repeated batch links to the original: inside the detail, as in the sandbox, next to it, or nowhere. */
  linkIn: 'detail' | 'answer' | 'nowhere' = 'detail'
  /** The status of new batches, and of their items that have no planned status. */
  outcome: { batch: string; items: string | undefined } = { batch: 'SUCCESS', items: 'SUCCESS' }

  constructor(selfUrl: () => string) {
    this.#selfUrl = selfUrl
  }

  /** Plans the status of items sent to this recipient. */
  plan(receiver: string, status: string, problem?: FakeItem['problem']): void {
    this.#plans.set(receiver, { status, ...(problem ? { problem } : {}) })
  }

  /** Changes an item's status and transfers the money accordingly. */
  become(senderItemId: number | string, status: string, problem?: FakeItem['problem']): void {
    const items = this.items().filter(item => item.senderItemId === String(senderItemId))
    if (items.length !== 1) throw new Error(`${items.length} items are called ${senderItemId}`)
    this.#change(items[0] as FakeItem, status)
    if (problem) Object.assign(items[0] as FakeItem, { problem })
  }

  items(): FakeItem[] {
    return [...this.batches.values()].flatMap(({ items }) => items)
  }

  /** For every item with transfers: the recipient's net amount, and how often it was paid. */
  paid(): Map<number, { minor: number; times: number }> {
    const paid = new Map<number, { minor: number; times: number }>()
    for (const { senderItemId, minor } of this.movements) {
      const before = paid.get(Number(senderItemId)) ?? { minor: 0, times: 0 }
      paid.set(Number(senderItemId), {
        minor: before.minor + minor,
        times: before.times + (minor > 0 ? 1 : 0),
      })
    }
    return paid
  }

  endTokens(): void {
    this.#tokens.clear()
  }

  knows(authorization: string): boolean {
    return this.#tokens.has(authorization.replace(/^Bearer /, ''))
  }

  signIn(authorization: string, body: string): Reply {
    const [, basic = ''] = /^Basic (.+)$/.exec(authorization) ?? []
    const [client = '', secret] = Buffer.from(basic, 'base64').toString().split(':')
    if (body !== 'grant_type=client_credentials' || !secret || this.clients.get(client) !== secret)
      return {
        status: 401,
        body: { error: 'invalid_client', error_description: 'Client Authentication failed' },
      }
    const token = `A21AA${this.#next()}-${[...this.clients.keys()].join()}`
    this.#tokens.add(token)
    return { status: 200, body: { access_token: token, token_type: 'Bearer', expires_in: this.expiresIn } }
  }

  submit({ sender_batch_header: { sender_batch_id: senderBatchId }, items }: PayoutRequest): Reply {
    const known = [...this.batches.values()].find(
      batch => batch.senderBatchId === senderBatchId && this.day - batch.day < RECOGNISED_DAYS,
    )
    if (known) return this.#refuseAgain(known)
    if (items.length > MOST_ITEMS)
      return refusal(400, 'VALIDATION_ERROR', 'Invalid request - see details', [
        { field: 'items', location: 'body', issue: `Maximum number of items exceeded: ${MOST_ITEMS}` },
      ])
    const wrong = items.flatMap(({ receiver, amount }, position) => [
      ...(this.refused.has(receiver)
        ? [{ field: `items[${position}].receiver`, issue: 'Receiver is invalid or does not match with type' }]
        : []),
      ...(currencies.includes(amount.currency) && isExact(amount.value, amount.currency)
        ? []
        : [{ field: `items[${position}].amount.value`, issue: 'Currency amount format is invalid' }]),
    ])
    if (wrong.length > 0)
      return refusal(
        400,
        'VALIDATION_ERROR',
        'Invalid request - see details',
        wrong.slice(0, this.namedAtOnce).map(detail => ({ ...detail, location: 'body' })),
      )
    const batch = this.#take(senderBatchId, items)
    const header = {
      payout_batch_id: batch.id,
      batch_status: 'PENDING',
      sender_batch_header: { sender_batch_id: senderBatchId },
    }
    return { status: 201, body: { batch_header: header, links: [this.#linkTo(batch)] } }
  }

  page(batchId: string, query: URLSearchParams): Reply {
    const batch = this.batches.get(batchId)
    if (!batch) return refusal(404, 'INVALID_RESOURCE_ID', 'Requested resource ID was not found.')
    const [page, size] = [
      Number(query.get('page') ?? 1),
      Math.min(1000, Number(query.get('page_size') ?? 1000)),
    ]
    const items = batch.items.slice((page - 1) * size, page * size).map(item => this.#show(item, batch))
    const header = { payout_batch_id: batch.id, batch_status: batch.status }
    const totals = {
      total_items: batch.items.length,
      total_pages: Math.max(1, Math.ceil(batch.items.length / size)),
    }
    return { status: 200, body: { ...totals, batch_header: header, items, links: [this.#linkTo(batch)] } }
  }

  item(itemId: string): Reply {
    for (const batch of this.batches.values())
      for (const item of batch.items)
        if (item.id === itemId) return { status: 200, body: this.#show(item, batch) }
    return refusal(404, 'INVALID_RESOURCE_ID', 'Requested resource ID was not found.')
  }

  cancel(itemId: string): Reply {
    const item = this.items().find(({ id }) => id === itemId)
    if (item && item.status !== 'UNCLAIMED')
      return refusal(400, 'ITEM_INCORRECT_STATUS', 'Only items in Unclaimed status can be cancelled.')
    if (item) this.#change(item, 'RETURNED')
    return this.item(itemId)
  }

  #take(senderBatchId: string, items: PayoutRequest['items']): FakeBatch {
    const { day, outcome } = this
    const batch: FakeBatch = { id: this.#next(), senderBatchId, day, status: outcome.batch, items: [] }
    for (const { receiver, sender_item_id: senderItemId, amount } of items) {
      const { status, ...plan } = this.#plans.get(receiver) ?? { status: outcome.items ?? '' }
      const item = { ...plan, id: this.#next(), senderItemId, receiver, ...amount, status: 'PENDING' }
      batch.items.push(item)
      this.#change(item, status)
    }
    this.batches.set(batch.id, batch)
    return batch
  }

  #change(item: FakeItem, status: string): void {
    const { senderItemId, receiver, value } = item
    const minor = Number(value.replace('.', ''))
    if (status === 'SUCCESS' && item.status !== 'SUCCESS')
      this.movements.push({ senderItemId, receiver, minor })
    if (status !== 'SUCCESS' && item.status === 'SUCCESS')
      this.movements.push({ senderItemId, receiver, minor: -minor })
    item.status = status
  }

  #refuseAgain(known: FakeBatch): Reply {
    const link = [this.#linkTo(known)]
    const detail = {
      field: 'SENDER_BATCH_ID',
      location: 'body',
      issue: 'Batch with given sender_batch_id already exists',
      ...(this.linkIn === 'detail' ? { link } : {}),
    }
    const { status, body } = refusal(400, 'USER_BUSINESS_ERROR', 'User business error.', [detail])
    return { status, body: { ...(body as object), links: this.linkIn === 'answer' ? link : [] } }
  }

  #show({ id, status, problem, ...item }: FakeItem, batch: FakeBatch) {
    return {
      payout_item_id: id,
      payout_batch_id: batch.id,
      // An item that has not been processed yet has no transaction.
      ...(status ? { transaction_id: `T${id}`, transaction_status: status } : {}),
      payout_item: {
        recipient_type: 'EMAIL',
        receiver: item.receiver,
        sender_item_id: item.senderItemId,
        amount: { value: item.value, currency: item.currency },
      },
      ...(problem ? { errors: { ...problem, details: [], links: [] } } : {}),
    }
  }

  #linkTo({ id }: FakeBatch) {
    return { href: `${this.#selfUrl()}/v1/payments/payouts/${id}`, rel: 'self', method: 'GET' }
  }

  #next(): string {
    return `${++this.#ids}`.padStart(13, 'Q')
  }
}
