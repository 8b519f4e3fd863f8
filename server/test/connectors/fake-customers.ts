import type Stripe from 'stripe'
import { unique } from '../factories.ts'
import { type FakeCall, type FakeResponse, rejected } from './fake-stripe.ts'

type Kept = Pick<Stripe.Customer, 'id' | 'object' | 'email' | 'currency' | 'balance' | 'livemode'>

/** Customers of Stripe with their balance, which is in one currency. */
export class FakeCustomers {
  readonly customers: Kept[] = []
  readonly transactions: Stripe.CustomerBalanceTransaction[] = []
  readonly deleted = new Set<string>()

  add(parts: Partial<Kept> = {}): string {
    const id = unique('cus')
    const blank = { email: null, currency: null, balance: 0, livemode: true }
    this.customers.push({ id, object: 'customer', ...blank, ...parts })
    return parts.id ?? id
  }

  /** What was changed of a customer's balance, oldest first. */
  changes = (customer: string) =>
    this.transactions
      .filter(each => each.customer === customer)
      .map(({ amount, currency }) => [amount, currency])

  readonly handle = ({ method, path, query, form }: FakeCall): FakeResponse | undefined => {
    const [, , kind, id, part] = path.split('/')
    if (kind !== 'customers') return undefined
    if (id === undefined) {
      const data = this.customers.filter(({ email }) => email === query.get('email'))
      return { status: 200, body: { object: 'list', url: path, data, has_more: false } }
    }
    if (this.deleted.has(id))
      return part === undefined
        ? { status: 200, body: { id, object: 'customer', deleted: true } }
        : rejected(`No such customer: '${id}'`, 404)
    const customer = this.customers.find(each => each.id === id)
    if (!customer) return rejected(`No such customer: '${id}'`, 404)
    if (part === undefined) return { status: 200, body: customer }
    return method === 'POST' ? this.#change(customer, form) : this.#list(customer, query)
  }

  #change(customer: Kept, form: URLSearchParams): FakeResponse {
    const [amount, currency] = [Number(form.get('amount')), `${form.get('currency')}`]
    if (customer.currency && customer.currency !== currency)
      return rejected(`The customer's balance is in ${customer.currency}.`)
    customer.currency = currency
    customer.balance += amount
    const metadata = [...form]
      .map(([name, value]) => [/^metadata\[(.*)\]$/.exec(name)?.[1], value])
      .filter(([name]) => name)
    const made: Stripe.CustomerBalanceTransaction = {
      id: unique('cbtxn'),
      object: 'customer_balance_transaction',
      amount,
      currency,
      customer: customer.id,
      description: form.get('description'),
      ending_balance: customer.balance,
      created: Math.floor(Date.now() / 1000),
      livemode: true,
      metadata: Object.fromEntries(metadata),
      type: 'adjustment',
      checkout_session: null,
      credit_note: null,
      customer_account: null,
      invoice: null,
    }
    this.transactions.push(made)
    return { status: 200, body: made }
  }

  /** Newest first, in small pages. */
  #list(customer: Kept, query: URLSearchParams): FakeResponse {
    const since = Number(query.get('created[gte]') ?? 0)
    const all = this.transactions
      .filter(each => each.customer === customer.id && each.created >= since)
      .reverse()
    const after = all.findIndex(({ id }) => id === query.get('starting_after')) + 1
    const url = `/v1/customers/${customer.id}/balance_transactions`
    const data = all.slice(after, after + 2)
    return { status: 200, body: { object: 'list', url, data, has_more: all.length > after + 2 } }
  }
}
