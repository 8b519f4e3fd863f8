import { type Static, Type } from 'typebox'
import { Commission } from './commission.ts'
import { Currency, closed, described, Email, Id, nullable, oneOf, Timestamp } from './fields.ts'
import { Referral } from './referral.ts'

/** The merchant's own ID for something. */
const Reference = (description: string) => Type.String({ minLength: 1, maxLength: 255, description })

const SaleAmount = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Amount in minor units of `currency`',
})
const SaleCurrency = described(Currency, 'ISO-4217 code of the sale')
const OccurredAt = Type.Optional(
  Type.String({ format: 'date-time', description: 'When it happened; defaults to now' }),
)

export const CreateConversion = closed({
  campaign_id: described(Id, 'ID of the campaign that the customer came through'),
  customer_ref: Reference('Your ID for the customer'),
  click_id: Type.Optional(
    Type.Unsafe<number | string>({
      type: ['integer', 'string'],
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      pattern: '^[1-9][0-9]{0,15}$',
      description: 'ID of the click that brought the customer, as an integer or a string',
    }),
  ),
  token: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: "The affiliate's token, if there is no click",
    }),
  ),
  coupon_code: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Coupon code that the customer used; takes precedence over clicks',
    }),
  ),
  subscription_ref: Type.Optional(nullable(Reference('Your ID for the subscription'))),
  customer_email: Type.Optional(
    nullable(
      described(
        Email,
        'Email address; used to detect self-referrals, stored only if the account keeps customers’ email addresses',
      ),
    ),
  ),
  occurred_at: OccurredAt,
  is_test: Type.Optional(
    Type.Boolean({ description: 'A test conversion is recorded like any other, but never paid' }),
  ),
  sale: Type.Optional(
    closed({
      external_id: Reference('Your ID for the sale'),
      amount_minor: SaleAmount,
      currency: SaleCurrency,
    }),
  ),
})
export type CreateConversion = Static<typeof CreateConversion>

export const CreateSale = closed({
  customer_ref: Reference('Your ID for the customer'),
  external_id: Reference('Your ID for the sale; unique in the account, so reporting it again has no effect'),
  amount_minor: SaleAmount,
  currency: SaleCurrency,
  campaign_id: Type.Optional(described(Id, 'Required if the customer was referred in several campaigns')),
  subscription_ref: Type.Optional(nullable(Reference('Your ID for the subscription'))),
  occurred_at: OccurredAt,
})
export type CreateSale = Static<typeof CreateSale>

export const CreateRefund = closed({
  external_id: Reference(
    'Your ID for the refund; unique in the account, so reporting it again has no effect',
  ),
  sale_external_id: Reference('Your ID for the sale'),
  amount_minor: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Refunded amount; defaults to the rest of the sale',
    }),
  ),
  occurred_at: OccurredAt,
})
export type CreateRefund = Static<typeof CreateRefund>

export const AttributionCandidate = closed(
  {
    source: oneOf(['coupon', 'click', 'token'], 'Type of the evidence'),
    affiliate_id: nullable(
      described(Id, 'ID of the affiliate it belongs to; null if it matches no affiliate'),
    ),
    click_id: nullable(described(Id, 'ID of the click, if it is one')),
    clicked_at: nullable(described(Timestamp, 'When the click happened')),
    outcome: oneOf(['won', 'lost', 'dropped'], 'Credited, valid but outranked by another, or not valid'),
    reason: Type.String({ description: 'The rule that decided the outcome, with its numbers' }),
  },
  { description: 'A piece of evidence and its outcome.' },
)
export type AttributionCandidate = Static<typeof AttributionCandidate>

export const Attribution = closed(
  {
    affiliate_id: nullable(
      described(Id, 'ID of the credited affiliate; null if the conversion is unattributed'),
    ),
    reason: Type.String({ description: 'Explanation in one sentence' }),
    model: Type.String({ description: "The campaign's attribution model at that time" }),
    window_days: Type.Integer({ description: "The campaign's attribution window at that time, in days" }),
    review: Type.Array(Type.String(), {
      description: 'Why the referral needs review; empty if it does not',
    }),
    candidates: Type.Array(AttributionCandidate, { description: 'All evidence that was considered' }),
  },
  { description: 'How a conversion was credited, and why.' },
)
export type Attribution = Static<typeof Attribution>

/** A type array can't reference a named schema, so this uses `anyOf`. */
const orNull = <T extends typeof Referral>(schema: T) =>
  Type.Unsafe<Static<T> | null>({
    anyOf: [schema, { type: 'null' }],
    description: 'Null if the conversion or sale is unattributed',
  })

const WaitingFor = nullable(
  oneOf(
    ['fx_rate'],
    '`fx_rate` while the exchange rate is missing; commissions are created once it is available',
  ),
)

export const ConversionResult = closed({
  referral: orNull(Referral),
  commissions: Type.Array(Commission),
  attribution: Attribution,
  waiting_for: WaitingFor,
})
export type ConversionResult = Static<typeof ConversionResult>

export const SaleResult = closed({
  referral: orNull(Referral),
  commissions: Type.Array(Commission),
  waiting_for: WaitingFor,
})
export type SaleResult = Static<typeof SaleResult>

export const RefundResult = closed({
  commissions: Type.Array(Commission, { description: 'Commissions that were voided, and clawbacks' }),
})
export type RefundResult = Static<typeof RefundResult>
