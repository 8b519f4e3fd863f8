import { byDoubling, type Found, part } from './signal.ts'

/** The accounts that an affiliate shares a network or a payout address with, their own included. */
export interface Shared {
  affiliate_id: number
  accounts: number
  /** Some of the others. */
  others: number[]
}

/** Two may be a couple or colleagues. */
export const LEAST_ON_NETWORK = 3

/** Several affiliate accounts that sign in from one network. */
export function sharedNetwork({ affiliate_id, accounts, others }: Shared): Found | undefined {
  if (accounts < LEAST_ON_NETWORK) return undefined
  const points = byDoubling(accounts, { from: LEAST_ON_NETWORK, least: 40, step: 20, most: 90 })
  return {
    kind: 'shared_network',
    affiliateId: affiliate_id,
    campaignId: null,
    parts: [part('accounts_on_network', points, accounts)],
    affiliates: others,
    weight: accounts,
  }
}

export const LEAST_AT_ADDRESS = 2

/** Several affiliate accounts that are paid to one address: the same person is behind them. */
export function sharedPayoutAddress({ affiliate_id, accounts, others }: Shared): Found | undefined {
  if (accounts < LEAST_AT_ADDRESS) return undefined
  const points = byDoubling(accounts, { from: LEAST_AT_ADDRESS, least: 60, step: 15, most: 100 })
  return {
    kind: 'shared_payout_address',
    affiliateId: affiliate_id,
    campaignId: null,
    parts: [part('accounts_paid_to_address', points, accounts)],
    affiliates: others,
    weight: accounts,
  }
}

export interface Emails {
  affiliate_id: number
  /** The domains of the addresses, in lower case. */
  domain: string
  payout_domain: string | null
}

/** A domain that is on the list, or below one that is. */
const isListed = (domain: string, domains: ReadonlySet<string>) => {
  const labels = domain.split('.')
  return labels.some((_, index) => domains.has(labels.slice(index).join('.')))
}

/** An email address of a provider of addresses that are thrown away. */
export function disposableEmail(
  { affiliate_id, domain, payout_domain }: Emails,
  domains: ReadonlySet<string>,
): Found | undefined {
  const isPayoutListed = payout_domain !== null && isListed(payout_domain, domains)
  const parts = [
    ...(isListed(domain, domains) ? [part('disposable_domain', 50, 1, { text: domain })] : []),
    ...(isPayoutListed ? [part('disposable_payout_domain', 30, 1, { text: payout_domain })] : []),
  ]
  if (parts.length === 0) return undefined
  return {
    kind: 'disposable_email',
    affiliateId: affiliate_id,
    campaignId: null,
    parts,
    affiliates: [],
    weight: parts.length,
  }
}
