import { type Static, Type } from 'typebox'
import { Commission } from './commission.ts'
import { Currency, closed, described, Email, Id, nullable, oneOf, Timestamp } from './fields.ts'
import { Referral } from './referral.ts'

/** The merchant's own name for something. */
const Reference = (description: string) => Type.String({ minLength: 1, maxLength: 255, description })

const SaleAmount = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'In minor units of `currency`',
})
const SaleCurrency = described(Currency, 'ISO-4217 code of the sale')
const OccurredAt = Type.Optional(
  Type.String({ format: 'date-time', description: 'When it happened; now where it is not given' }),
)

export const CreateConversion = closed({
  campaign_id: described(Id, 'The campaign that the customer came through'),
  customer_ref: Reference('Your name for the customer'),
  click_id: Type.Optional(
    Type.Unsafe<number | string>({
      type: ['integer', 'string'],
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      pattern: '^[1-9][0-9]{0,15}$',
      description: 'The click that brought the customer, as a number or as the text that the browser kept',
    }),
  ),
  token: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'The affiliate’s token, where no click is known',
    }),
  ),
  coupon_code: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'The code that the customer used; beats clicks',
    }),
  ),
  subscription_ref: Type.Optional(nullable(Reference('Your name for the subscription'))),
  customer_email: Type.Optional(
    nullable(described(Email, 'An email address; only compared with the affiliate’s, never kept')),
  ),
  occurred_at: OccurredAt,
  is_test: Type.Optional(Type.Boolean({ description: 'A test is recorded like any other, and never paid' })),
  sale: Type.Optional(
    closed({
      external_id: Reference('Your name for the sale'),
      amount_minor: SaleAmount,
      currency: SaleCurrency,
    }),
  ),
})
export type CreateConversion = Static<typeof CreateConversion>

export const CreateSale = closed({
  customer_ref: Reference('Your name for the customer'),
  external_id: Reference(
    'Your name for the sale; unique in the account, so that reporting it again does nothing',
  ),
  amount_minor: SaleAmount,
  currency: SaleCurrency,
  campaign_id: Type.Optional(described(Id, 'Needed where the customer was referred in several campaigns')),
  subscription_ref: Type.Optional(nullable(Reference('Your name for the subscription'))),
  occurred_at: OccurredAt,
})
export type CreateSale = Static<typeof CreateSale>

export const CreateRefund = closed({
  external_id: Reference(
    'Your name for the refund; unique in the account, so that reporting it again does nothing',
  ),
  sale_external_id: Reference('Your name for the sale'),
  amount_minor: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'What is left of the sale where it is not given',
    }),
  ),
  occurred_at: OccurredAt,
})
export type CreateRefund = Static<typeof CreateRefund>

export const AttributionCandidate = closed(
  {
    source: oneOf(['coupon', 'click', 'token'], 'What speaks for the affiliate'),
    affiliate_id: nullable(described(Id, 'The affiliate it speaks for; null where it names nobody')),
    click_id: nullable(described(Id, 'The click, where it is one')),
    clicked_at: nullable(described(Timestamp, 'When the click happened')),
    outcome: oneOf(['won', 'lost', 'dropped'], 'Credited, beaten by another, or not valid'),
    reason: Type.String({ description: 'The rule that decided it, with its arithmetic' }),
  },
  { description: 'A piece of evidence and its outcome.' },
)
export type AttributionCandidate = Static<typeof AttributionCandidate>

export const Attribution = closed(
  {
    affiliate_id: nullable(described(Id, 'Who gets the credit; null for nobody')),
    reason: Type.String({ description: 'Why, in a sentence' }),
    model: Type.String({ description: 'The campaign’s attribution model at that time' }),
    window_days: Type.Integer({ description: 'The campaign’s attribution window at that time' }),
    review: Type.Array(Type.String(), {
      description: 'Why the referral waits for review; empty where it does not',
    }),
    candidates: Type.Array(AttributionCandidate, { description: 'All the evidence' }),
  },
  { description: 'How a conversion was credited, and why.' },
)
export type Attribution = Static<typeof Attribution>

/** A type array cannot say "this object or null", so this one is spelled out. */
const orNull = <T extends typeof Referral>(schema: T) =>
  Type.Unsafe<Static<T> | null>({
    anyOf: [schema, { type: 'null' }],
    description: 'Null where nobody is credited',
  })

const WaitingFor = nullable(
  oneOf(
    ['fx_rate'],
    '`fx_rate` while the sale waits for a rate of exchange: its commissions follow when the rate arrives',
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
  commissions: Type.Array(Commission, { description: 'What was voided or clawed back' }),
})
export type RefundResult = Static<typeof RefundResult>
