/** Protects what lies behind the service: no webhook reaches the machine itself, its network or its cloud's metadata. */
import { describe, expect, it } from 'vitest'
import { readSettings } from '../../config.ts'
import { destinationPolicy, mayConnect, urlProblem } from './destination.ts'

const policy = (env: NodeJS.ProcessEnv) => destinationPolicy(readSettings(env))
const production = policy({ NODE_ENV: 'production' })
const development = policy({ NODE_ENV: 'development' })

const neverAllowed = [
  '0.0.0.0',
  '0.1.2.3',
  '169.254.0.1',
  '169.254.169.254',
  '169.254.170.2',
  '100.100.100.200',
  '192.0.0.192',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  'fe80::1',
  'febf::1',
  'fec0::1',
  'ff02::1',
  'fd00:ec2::254',
  'fd20:ce::254',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '::ffff:0.0.0.0',
  '0:0:0:0:0:ffff:a9fe:a9fe',
  'fe80::1%eth0',
]
const insideOnly = [
  '10.0.0.0',
  '10.255.255.255',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '192.168.0.1',
  '192.168.255.255',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.7',
  '203.0.113.7',
  '::1',
  '0:0:0:0:0:0:0:1',
  'fc00::1',
  'fdff::1',
  '100::1',
  '2001:db8::1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '::ffff:7f00:1',
  '::ffff:c0a8:101',
]
/** What a gateway makes of these cannot be seen from here. */
const disguised = [
  '::127.0.0.1',
  '::7f00:1',
  '64:ff9b::7f00:1',
  '64:ff9b::10.0.0.1',
  '64:ff9b:1::1',
  '2002:7f00:1::',
  '2001::1',
]
const outside = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450::1',
  '::ffff:8.8.8.8',
]

describe('an address', () => {
  it.each(neverAllowed)('%s is refused everywhere', address => {
    expect([mayConnect(address, production), mayConnect(address, development)]).toEqual([false, false])
  })
  it.each(insideOnly)('%s is refused in production and fine elsewhere', address => {
    expect([mayConnect(address, production), mayConnect(address, development)]).toEqual([false, true])
  })
  it.each(disguised)('%s is refused in production', address =>
    expect(mayConnect(address, production)).toBe(false),
  )
  it.each(['64:ff9b::a9fe:a9fe', '::169.254.169.254', '2002:a9fe:a9fe::'])(
    '%s stands for the metadata address and is refused everywhere',
    address =>
      expect([mayConnect(address, production), mayConnect(address, development)]).toEqual([false, false]),
  )
  it.each(outside)('%s is fine', address => expect(mayConnect(address, production)).toBe(true))
  it.each(['', 'localhost', '127.1', '0x7f000001', '2130706433', '1.2.3.4.5', '::1::', '[::1]', '8.8.8.8 '])(
    '%j is none',
    text => expect(mayConnect(text, development)).toBe(false),
  )
})

describe('ranges that the operator allows', () => {
  const allowing = policy({
    NODE_ENV: 'production',
    TRIBUTARY_WEBHOOK_ALLOW_CIDRS: '10.1.0.0/16,fd12::/16,0.0.0.0/0,::/0',
  })
  const narrow = policy({ NODE_ENV: 'production', TRIBUTARY_WEBHOOK_ALLOW_CIDRS: '10.1.0.0/16' })

  it('open what is inside them, mapped or not, and nothing beside them', () => {
    const open = ['10.1.2.3', '::ffff:10.1.2.3', '10.2.0.1', '127.0.0.1', '::1'].map(address =>
      mayConnect(address, narrow),
    )
    expect(open).toEqual([true, true, false, false, false])
  })
  it.each(neverAllowed)('never open %s', address => expect(mayConnect(address, allowing)).toBe(false))
  it('let plain http be used', () => {
    expect(urlProblem('http://10.1.2.3/', narrow)).toBeUndefined()
    expect(urlProblem('http://10.2.0.1/', narrow)).toMatch(/private/)
  })
})

describe('in production a URL', () => {
  it.each([
    'http://receiver.example/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://127.0.0.1.:443/',
    'https://0177.0.0.1/',
    'https://0x7f.0.0.1/',
    'https://0x7f000001/',
    'https://2130706433/',
    'https://１２７.0.0.1/',
    'https://127。0。0。1/',
    'https://%31%32%37.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[0:0:0:0:0:ffff:7f00:1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://10.0.0.1:8443/',
    'https://0/',
    'https://0.0.0.0/',
    'https://169.254.169.254/',
    'https://2852039166/',
    'https://0xa9.0xfe.0xa9.0xfe/',
    'https://[fd00:ec2::254]/',
    'https://user@8.8.8.8/',
    'https://@8.8.8.8/',
    'https://8.8.8.8/#x',
    'https://8.8.8.8#',
    'HTTPS:8.8.8.8',
    'https:/8.8.8.8/',
    'https:\\\\8.8.8.8\\',
    'https://8.8.8.8\\@127.0.0.1/',
    'https://8.8.8.8/\u0000',
    'https://8.8.8.8/\u0085',
    'https://8.8.8.8/\t',
    ' https://8.8.8.8/',
    'https://',
    'https://?',
    'https://a b/',
    'https://[::1/',
    'https://1.2.3.4.5.6/',
    'https://256.0.0.1/',
    'https://receiver.example:99999/',
    'gopher://receiver.example/',
    'wss://receiver.example/',
    'data:text/plain,x',
    '',
  ])('%j is refused', url => expect(urlProblem(url, production)).toEqual(expect.any(String)))

  it.each([
    'https://receiver.example',
    'https://receiver.example:8443/a/b?c=d&e=%20',
    'HTTPS://RECEIVER.EXAMPLE/',
    'https://bücher.example/',
    'https://8.8.8.8/',
    'https://[2606:4700:4700::1111]/',
    'https://receiver.example/user@host',
  ])('%s is fine', url => expect(urlProblem(url, production)).toBeUndefined())
})
