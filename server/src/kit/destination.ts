import { isIP } from 'node:net'
import { AddressRanges, privateRanges } from './address-ranges.ts'

/** Never allowed: link-local, cloud metadata, "this network", multicast, reserved. */
const forbidden = new AddressRanges(
  '0.0.0.0/8',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '192.0.0.192/32',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/128',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
)

/** Not on the public internet: loopback, private networks, and ranges that are not routed. */
const internal = new AddressRanges(
  ...privateRanges,
  '192.0.0.0/24',
  '192.0.2.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '100::/64',
  '2001:db8::/32',
)

/** IPv6 addresses that embed an IPv4 one. Never allowed: where a gateway routes them can't be checked here. */
const embeddedIPv4 = new AddressRanges('::/96', '64:ff9b::/96', '64:ff9b:1::/48', '2001::/32', '2002::/16')

export interface DestinationPolicy {
  /** Whether loopback and private addresses are allowed, as they are outside production. */
  allowInternal: boolean
  /** Internal ranges that the operator allows. */
  allowed: AddressRanges | undefined
}

export function destinationPolicy(settings: {
  NODE_ENV: string
  TRIBUTARY_WEBHOOK_ALLOW_CIDRS: AddressRanges | undefined
}): DestinationPolicy {
  return {
    allowInternal: settings.NODE_ENV !== 'production',
    allowed: settings.TRIBUTARY_WEBHOOK_ALLOW_CIDRS,
  }
}

export type Scheme = 'http:' | 'https:'

/** Whether a request that a user configures may go to this address. Plain http is only for internal addresses that the operator allows. */
export function mayConnect(address: string, policy: DestinationPolicy, scheme: Scheme = 'https:'): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false
  if (forbidden.has(address)) return false
  const isInternal = internal.has(address)
  if (embeddedIPv4.has(address) && !isInternal) return false
  if (policy.allowInternal || policy.allowed?.has(address)) return true
  return !isInternal && scheme === 'https:'
}
