import { createHmac } from 'node:crypto'

/** What a provider sends: the body and the headers that are not the signature. */
export interface Delivered {
  body: object
  headers?: Record<string, string>
}

/** How a provider reports one sale of 100.00 and 20.00 tax by an affiliate's token, and a refund of 30.00. */
interface Deliveries {
  sale: Delivered
  refund: Delivered
  saleId: string
}

interface ProviderCase {
  name: string
  saleType: string
  hasAnyType?: boolean
  mapping?: Record<string, unknown>
  deliveries(order: number, token: string): Deliveries
  /** As the provider's documentation describes it. */
  sign(body: string, secret: string): Record<string, string>
}

const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text)

const paddle: ProviderCase = {
  name: 'paddle',
  saleType: 'transaction.completed',
  sign(body, secret) {
    const ts = Math.floor(Date.now() / 1000)
    return { 'paddle-signature': `ts=${ts};h1=${hmac(secret, `${ts}:${body}`).digest('hex')}` }
  },
  deliveries: (order, token) => ({
    saleId: `paddle:txn_${order}`,
    sale: {
      body: {
        event_id: `evt_sale_${order}`,
        event_type: 'transaction.completed',
        occurred_at: '2026-01-01T00:00:00Z',
        data: {
          id: `txn_${order}`,
          customer_id: `ctm_${order}`,
          currency_code: 'USD',
          custom_data: { via: token },
          details: { totals: { tax: '2000', total: '12000', grand_total: '12000' } },
        },
      },
    },
    refund: {
      body: {
        event_id: `evt_refund_${order}`,
        event_type: 'adjustment.updated',
        occurred_at: '2026-01-02T00:00:00Z',
        data: {
          id: `adj_${order}`,
          action: 'refund',
          status: 'approved',
          transaction_id: `txn_${order}`,
          currency_code: 'USD',
          totals: { subtotal: '2500', tax: '500', total: '3000' },
        },
      },
    },
  }),
}

const lemonSqueezy: ProviderCase = {
  name: 'lemonsqueezy',
  saleType: 'order_created',
  sign: (body, secret) => ({ 'x-signature': hmac(secret, body).digest('hex') }),
  deliveries(order, token) {
    const attributes = {
      customer_id: 40 + order,
      currency: 'USD',
      tax: 2000,
      total: 12_000,
      created_at: '2026-01-01T00:00:00.000000Z',
    }
    return {
      saleId: `lemonsqueezy:order:${order}`,
      sale: {
        body: {
          meta: { event_name: 'order_created', custom_data: { via: token } },
          data: { id: String(order), attributes: { ...attributes, status: 'paid' } },
        },
      },
      refund: {
        body: {
          meta: { event_name: 'order_refunded' },
          data: {
            id: String(order),
            attributes: { ...attributes, status: 'partial_refund', refunded_amount: 3000 },
          },
        },
      },
    }
  },
}

const shopify: ProviderCase = {
  name: 'shopify',
  saleType: 'orders/paid',
  sign: (body, secret) => ({ 'x-shopify-hmac-sha256': hmac(secret, body).digest('base64') }),
  deliveries: (order, token) => ({
    saleId: `shopify:${order}`,
    sale: {
      headers: { 'x-shopify-topic': 'orders/paid', 'x-shopify-webhook-id': `paid-${order}` },
      body: {
        id: order,
        customer: { id: 40 + order },
        currency: 'USD',
        total_price: '120.00',
        total_tax: '20.00',
        landing_site: `/?via=${token}`,
        created_at: '2026-01-01T00:00:00Z',
      },
    },
    refund: {
      headers: { 'x-shopify-topic': 'refunds/create', 'x-shopify-webhook-id': `refund-${order}` },
      body: {
        id: 90 + order,
        order_id: order,
        created_at: '2026-01-02T00:00:00Z',
        transactions: [{ kind: 'refund', status: 'success', amount: '30.00', currency: 'USD' }],
      },
    },
  }),
}

const wooCommerce: ProviderCase = {
  name: 'woocommerce',
  saleType: 'order.updated',
  sign: (body, secret) => ({ 'x-wc-webhook-signature': hmac(secret, body).digest('base64') }),
  deliveries(order, token) {
    const body = {
      id: order,
      status: 'processing',
      customer_id: 40 + order,
      currency: 'USD',
      total: '120.00',
      total_tax: '20.00',
      meta_data: [{ key: 'via', value: token }],
      date_paid_gmt: '2026-01-01T00:00:00',
    }
    const headers = { 'x-wc-webhook-topic': 'order.updated' }
    return {
      saleId: `woocommerce:${order}`,
      sale: { headers: { ...headers, 'x-wc-webhook-delivery-id': `paid-${order}` }, body },
      refund: {
        headers: { ...headers, 'x-wc-webhook-delivery-id': `refund-${order}` },
        body: { ...body, refunds: [{ id: 90 + order, total: '-30.00' }] },
      },
    }
  },
}

const custom: ProviderCase = {
  name: 'custom',
  saleType: 'paid',
  hasAnyType: true,
  mapping: {
    type: 'type',
    occurred_at: 'at',
    customer: 'customer',
    token: 'tags[0]',
    sale_id: 'order',
    amount: 'net',
    paid: 'total',
    currency: 'currency',
    refund_id: 'refund.id',
    refund_amount: 'refund.amount',
    events: { paid: 'sale', refunded: 'refund' },
  },
  sign: (body, secret) => ({ 'tributary-signature': hmac(secret, body).digest('hex') }),
  deliveries(order, token) {
    const body = { order, currency: 'USD', at: '2026-01-01T00:00:00Z' }
    return {
      saleId: `custom:${order}`,
      sale: {
        body: { ...body, type: 'paid', customer: `c${order}`, tags: [token], net: 100, total: '120.00' },
      },
      // In the currency of its sale.
      refund: {
        body: {
          ...body,
          currency: undefined,
          type: 'refunded',
          refund: { id: `r${order}`, amount: '30.00' },
        },
      },
    }
  },
}

export const providers: ProviderCase[] = [paddle, lemonSqueezy, shopify, wooCommerce, custom]
