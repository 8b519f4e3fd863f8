/** Protects sign-in: who may sign in, what a refusal reveals, and that neither guessing nor a cross-site request gets in. */
import { hash } from '@node-rs/argon2'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { isFull, reportMeasurement } from '../../../testing/size.ts'
import { hashing, hashPassword, MOST_AT_ONCE, MOST_WAITING } from '../../src/programme/accounts/password.ts'
import type { Answer } from '../client.ts'
import { unique } from '../factories.ts'
import { useScene } from '../harness.ts'
import { Visitor } from './visitor.ts'

const scene = useScene({ TRIBUTARY_TRUST_PROXY: 'true' })
const PASSWORD = 'correct horse battery'
const ROUNDS = 8
const PATIENCE = { timeout: 25_000 }
/** As cheap as it can be, where the test is not about its cost. */
let cheapHash: string
beforeAll(async () => {
  cheapHash = await hash(PASSWORD, { memoryCost: 8, timeCost: 1, parallelism: 1 })
})

afterEach(() => void vi.restoreAllMocks())

const newVisitor = () => new Visitor(scene.app.url)

/** A user with a password, who owns the account. */
async function newOwner(passwordHash = cheapHash): Promise<string> {
  const email = `${unique('Owner')}@Example.com`
  const { rows } = await scene.database.owner.query(
    'INSERT INTO users (email, email_key, password_hash) VALUES ($1, lower($1), $2) RETURNING id',
    [email, passwordHash],
  )
  await scene.database.owner.query(
    "INSERT INTO memberships (account_id, user_id, role) VALUES ($1, $2, 'owner')",
    [scene.account.id, rows[0].id],
  )
  return email
}

async function signedIn(email?: string): Promise<Visitor> {
  const visitor = newVisitor()
  expect((await visitor.signIn(email ?? (await newOwner()), PASSWORD)).status).toBe(200)
  await visitor.session()
  return visitor
}

describe('signing in', () => {
  it('accepts the right password, in any spelling of the address', async () => {
    const email = await newOwner()
    const visitor = newVisitor()
    expect(await visitor.session()).toBeUndefined()
    const { status, headers } = await visitor.signIn(email.toUpperCase(), PASSWORD)
    expect(status).toBe(200)
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^tributary=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(
        /^tributary-browser=\d+(\.[\w-]+){3}; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/,
      ),
    ])
    expect(headers.get('cache-control')).toBe('no-store')
    expect(await visitor.session()).toMatchObject({
      user: { email },
      accounts: [{ id: scene.account.id, slug: scene.account.slug, role: 'owner' }],
      csrf_token: expect.stringMatching(/^[\w-]{43}$/),
    })
  })

  it('binds the cookie to this host behind https', async () => {
    const visitor = newVisitor()
    const { headers } = await visitor.send(
      'POST',
      'session',
      { email: await newOwner(), password: PASSWORD },
      { 'x-forwarded-proto': 'https' },
    )
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-tributary=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
      expect.stringMatching(
        /^__Host-tributary-browser=\d+(\.[\w-]+){3}; Max-Age=15552000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ])
    // A cookie that plain http could have set opens nothing behind https.
    const [[, token]] = [...visitor.cookies] as [[string, string]]
    const asked = (cookie: string) =>
      visitor.send('GET', 'session', undefined, { cookie, 'x-forwarded-proto': 'https' })
    expect((await asked(`tributary=${token}`)).status).toBe(401)
    expect((await asked(`__Host-tributary=${token}`)).status).toBe(200)
  })

  it('never reveals whether the address or the password was wrong, not even by timing', async () => {
    const email = await newOwner(await hashPassword(PASSWORD))
    const fail = async (address: string) => {
      const { status, text } = await newVisitor().signIn(address, 'wrong password')
      expect(status).toBe(401)
      expect(text).toBe('{"error":{"code":"unauthorized","message":"Incorrect email address or password."}}')
    }
    await fail('first-unknown@example.com')
    // What takes long is one hash; it is verified whether or not a user has the address.
    const take = vi.spyOn(hashing, 'take')
    for (const address of [email, 'unknown@example.com']) {
      await fail(address)
      expect(take).toHaveBeenCalledOnce()
      take.mockClear()
    }
    // The timing is meaningful only on an idle machine.
    if (!isFull) return
    const timedMs = async (address: string) => {
      const started = performance.now()
      await fail(address)
      return performance.now() - started
    }
    // By turns, so that whatever else the machine does meets both alike. Without a hash to verify, it would be a tenth.
    let [known, unknown] = [Infinity, Infinity]
    for (let round = 0; round < ROUNDS; round++) {
      known = Math.min(known, await timedMs(email))
      unknown = Math.min(unknown, await timedMs(`unknown-${round}@example.com`))
    }
    const ratio = Math.max(known, unknown) / Math.min(known, unknown)
    reportMeasurement({
      row: 22,
      what: 'sign-in: time for a known address to time for an unknown one',
      value: ratio.toFixed(2),
      bar: '< 3',
      holds: ratio < 3,
    })
    expect(ratio).toBeLessThan(3)
  })

  it('gives every session a new, unpredictable token', async () => {
    const email = await newOwner()
    const visitor = newVisitor()
    visitor.cookies.set('tributary', 'chosen-by-an-attacker')
    await visitor.signIn(email, PASSWORD)
    const first = visitor.cookies.get('tributary')
    await visitor.signIn(email, PASSWORD)
    const second = visitor.cookies.get('tributary')
    expect(new Set(['chosen-by-an-attacker', first, second]).size).toBe(3)
    const { rows } = await scene.database.owner.query('SELECT token_hash FROM sessions')
    expect(rows.map(({ token_hash }) => String(token_hash))).not.toContain(first)
  })

  it.each([
    {},
    { email: 'a@example.com' },
    { email: 'a@example.com', password: 1 },
    { email: '\0', password: '' },
  ])('refuses %j as no sign-in at all', async body => {
    expect((await newVisitor().send('POST', 'session', body)).status).toBe(422)
  })
})

it('a password is kept as what costs an attacker 19 MiB and two passes to try', async () => {
  expect(await hashPassword(PASSWORD)).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})

describe('guessing is slowed down', () => {
  it('at one person from one address, however many at once', async () => {
    const email = await newOwner()
    const visitor = newVisitor()
    const answers = await Promise.all(
      Array.from({ length: 14 }, () => visitor.signIn(email, 'wrong password')),
    )
    const statuses = answers.map(({ status }) => status).toSorted()
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(4).fill(429)])
    const late = await visitor.signIn(email, PASSWORD)
    expect(late.status).toBe(429)
    const seconds = Number(late.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(60)
    await signedIn()
  })

  it.each<[string, (port: number) => string]>([
    ['IPv4', port => `203.0.113.77:${port}`],
    ['IPv6', port => `[2001:db8:77::1]:${port}`],
  ])('also behind a proxy that adds the port of each connection to an %s address', async (_family, at) => {
    const statuses = []
    for (let n = 0; n < 25; n++) {
      const visitor = new Visitor(scene.app.url, at(40_000 + n))
      statuses.push((await visitor.signIn(`${unique('unknown')}@example.com`, 'wrong password')).status)
    }
    expect(statuses).toEqual([...Array(20).fill(401), ...Array(5).fill(429)])
  })

  it('at one person from many addresses: a few guesses each once the person is guessed at', async () => {
    const email = await newOwner()
    for (let n = 0; n < 10; n++) expect((await newVisitor().signIn(email, 'wrong password')).status).toBe(401)
    for (const visitor of [newVisitor(), newVisitor()]) {
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => visitor.signIn(email, 'wrong password')),
      )
      const statuses = answers.map(({ status }) => status).toSorted()
      expect(statuses).toEqual([...Array(3).fill(401), ...Array(3).fill(429)])
    }
  })

  it('and locks no user out: the right password works from an address that has not failed', async () => {
    const email = await newOwner()
    const [attacker, ...others] = Array.from({ length: 8 }, newVisitor) as [Visitor, ...Visitor[]]
    for (let n = 0; n < 12; n++) await attacker.signIn(email, 'wrong password')
    for (const other of others) for (let n = 0; n < 4; n++) await other.signIn(email, 'wrong password')
    for (const visitor of [attacker, ...others])
      expect((await visitor.signIn(email, PASSWORD)).status).toBe(429)
    // As an unknown person would be answered, so that nothing is learnt from it.
    const unknown = `${unique('unknown')}@example.com`
    for (let n = 0; n < 10; n++) await newVisitor().signIn(unknown, 'wrong password')
    expect((await newVisitor().signIn(unknown, PASSWORD)).status).toBe(401)
    await signedIn(email)
  })

  it('and refused guesses clear no count: 300 invented names later it stands where it stood', async () => {
    const email = await newOwner()
    const attacker = newVisitor()
    for (let n = 0; n < 10; n++) await attacker.signIn(email, 'wrong password')
    await Promise.all(
      Array.from({ length: 300 }, (_, n) => attacker.signIn(`unknown-${n}@example.com`, 'wrong password')),
    )
    expect((await attacker.signIn(email, 'wrong password')).status).toBe(429)
  })

  it('from one site of IPv6, whichever of its networks are used', async () => {
    const guess = async (n: number) =>
      new Visitor(scene.app.url, `2001:db8:9:${n.toString(16)}::1`).signIn(await newOwner(), 'wrong')
    const statuses: number[] = []
    for (let n = 0; n < 205; n += 41)
      statuses.push(
        ...(await Promise.all(Array.from({ length: 41 }, (_, i) => guess(n + i)))).map(
          ({ status }) => status,
        ),
      )
    expect(statuses.filter(status => status === 429)).toHaveLength(5)
    const elsewhere = new Visitor(scene.app.url, '2001:db8:a:1::1')
    expect((await elsewhere.signIn(await newOwner(), PASSWORD)).status).toBe(200)
  })

  it('from one IPv6 network, whichever of its addresses are used', async () => {
    const guess = (n: number) =>
      new Visitor(scene.app.url, `2001:db8:7:7::${n.toString(16)}`).signIn(
        `unknown-${n}@example.com`,
        'wrong',
      )
    const answers = await Promise.all(Array.from({ length: 22 }, (_, n) => guess(n)))
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2)
    const neighbour = new Visitor(scene.app.url, '2001:db8:7:8::1')
    expect((await neighbour.signIn(await newOwner(), PASSWORD)).status).toBe(200)
  })

  it('from one address, at however many people', async () => {
    const visitor = newVisitor()
    const people = await Promise.all(Array.from({ length: 22 }, () => newOwner()))
    const answers = await Promise.all(people.map(email => visitor.signIn(email, 'wrong password')))
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2)
    const email = await newOwner()
    expect((await visitor.signIn(email, PASSWORD)).status).toBe(429)
    await signedIn(email)
  })

  it('and successful sign-ins are not counted, of strangers nor of a known browser', async () => {
    const email = await newOwner()
    const visitor = newVisitor()
    for (let round = 0; round < 12; round++) {
      const stranger = new Visitor(scene.app.url, visitor.address)
      expect((await stranger.signIn(email, PASSWORD)).status).toBe(200)
      expect((await visitor.signIn(email, PASSWORD)).status).toBe(200)
    }
  })

  it('and a guess that was never verified is not counted', async () => {
    const email = await newOwner()
    const visitor = newVisitor()
    let open = () => {}
    const gate = new Promise<void>(resolve => {
      open = resolve
    })
    // Every slot is taken, and as many wait as may.
    const busy = Array.from({ length: MOST_AT_ONCE + MOST_WAITING }, () => hashing.take('fresh', () => gate))
    const statuses: number[] = []
    for (let n = 0; n < 12; n++) statuses.push((await visitor.signIn(email, 'wrong password')).status)
    open()
    await Promise.all(busy)
    expect(statuses).toEqual(Array(12).fill(503))
    expect((await visitor.signIn(email, PASSWORD)).status).toBe(200)
  })

  it('and a guess that was refused for one person is not counted for its address', async () => {
    const email = await newOwner()
    const visitor = newVisitor()
    for (let n = 0; n < 10; n++) expect((await visitor.signIn(email, 'wrong password')).status).toBe(401)
    for (let n = 0; n < 12; n++) expect((await visitor.signIn(email, 'wrong password')).status).toBe(429)
    expect((await visitor.signIn(await newOwner(), PASSWORD)).status).toBe(200)
  })

  it('and goes behind others where its address has failed, or its site at this person', async () => {
    const ranks: string[] = []
    const take = hashing.take.bind(hashing)
    vi.spyOn(hashing, 'take').mockImplementation((rank, work) => {
      ranks.push(rank)
      return take(rank, work)
    })
    const email = await newOwner()
    const at = (address: string) => new Visitor(scene.app.url, address)
    await at('2001:db8:b:1::1').signIn(email, 'wrong password')
    await at('2001:db8:b:1::2').signIn(await newOwner(), 'wrong password')
    await at('2001:db8:b:2::1').signIn(email, 'wrong password')
    await at('2001:db8:b:3::1').signIn(await newOwner(), 'wrong password')
    await at('2001:db8:c:1::1').signIn(email, 'wrong password')
    expect(ranks).toEqual(['fresh', 'other', 'other', 'fresh', 'fresh'])
  })
})

describe('a browser that has signed in before', () => {
  /** Signed in once, and out again; strangers guess at its owner from its own address too. */
  async function knownBrowser() {
    const email = await newOwner()
    const visitor = await signedIn(email)
    await visitor.send('DELETE', 'session')
    const neighbour = new Visitor(scene.app.url, visitor.address)
    for (let n = 0; n < 20; n++)
      await neighbour.signIn(n % 2 ? email : 'unknown@example.com', 'wrong password')
    expect((await neighbour.signIn(email, PASSWORD)).status).toBe(429)
    return { email, visitor }
  }
  const withCookie = (value: string, address?: string) => {
    const visitor = new Visitor(scene.app.url, address)
    visitor.cookies.set('tributary-browser', value)
    return visitor
  }
  const cookieOf = (visitor: Visitor) => visitor.cookies.get('tributary-browser') as string

  it('signs in whatever strangers do, and its own mistakes cost no one else', async () => {
    const { email, visitor } = await knownBrowser()
    expect((await visitor.signIn(email, 'a typo')).status).toBe(401)
    expect((await visitor.signIn(email, PASSWORD)).status).toBe(200)
  })

  it('has ten guesses in a quarter of an hour, then it is a stranger', async () => {
    const { email, visitor } = await knownBrowser()
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => visitor.signIn(email, 'wrong password')),
    )
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10)
    expect((await visitor.signIn(email, PASSWORD)).status).toBe(429)
  })

  it('is known to its owner alone, and by a cookie that we signed', async () => {
    const { email, visitor } = await knownBrowser()
    const { visitor: other } = await knownBrowser()
    const mine = cookieOf(visitor)
    const [userId, id, mark, signature] = mine.split('.') as [string, string, string, string]
    const forged = [
      cookieOf(other),
      `${userId}.${'A'.repeat(22)}.${mark}.${signature}`,
      `${userId}.${id}.${mark}.${'A'.repeat(43)}`,
      `${userId}.${id}.${mark}`,
      'nonsense',
    ]
    for (const value of forged)
      expect((await withCookie(value, visitor.address).signIn(email, PASSWORD)).status).toBe(429)
    expect((await withCookie(mine, visitor.address).signIn(email, PASSWORD)).status).toBe(200)
    // Alone it is no session.
    const bare = withCookie(mine)
    expect((await bare.send('GET', 'session')).status).toBe(401)
  })

  it('is forgotten when the password changes, but for the browser that changed it', async () => {
    const { email, visitor } = await knownBrowser()
    await visitor.signIn(email, PASSWORD)
    await visitor.session()
    const before = cookieOf(visitor)
    const password = 'another password'
    expect((await visitor.send('POST', 'password/change', { current: PASSWORD, password })).status).toBe(200)
    expect((await withCookie(before, visitor.address).signIn(email, password)).status).toBe(429)
    expect((await withCookie(cookieOf(visitor), visitor.address).signIn(email, password)).status).toBe(200)
  })
})

it('a flood of sign-ins is refused past a bound, and a known browser goes first', async () => {
  const email = await newOwner()
  const visitor = await signedIn(email)
  // All hashing slots are taken until the gate opens.
  let open = () => {}
  const gate = new Promise<void>(resolve => {
    open = resolve
  })
  const busy = Array.from({ length: MOST_AT_ONCE }, () => hashing.take('known', () => gate))
  const turns: string[] = []
  const take = hashing.take.bind(hashing)
  vi.spyOn(hashing, 'take').mockImplementation((rank, work) =>
    take(rank, () => {
      turns.push(rank)
      return work()
    }),
  )
  const [refused, answered]: [Answer[], Answer[]] = [[], []]
  const people = await Promise.all(Array.from({ length: 10 }, () => newOwner()))
  const flood = Array.from({ length: MOST_WAITING + 20 }, async (_, n) => {
    const answer = await newVisitor().signIn(people[n % 10] as string, 'wrong password')
    const list = answer.status === 503 ? refused : answered
    list.push(answer)
  })
  await expect.poll(() => refused.length, PATIENCE).toBe(20)
  expect(refused[0]?.headers.get('retry-after')).toBe('2')
  expect(refused[0]?.body.error.message).toBe('The server is busy. Try again in a moment.')
  const known = visitor.signIn(email, PASSWORD)
  // It came after all the others and stands in its queue.
  await expect.poll(() => hashing.take, PATIENCE).toHaveBeenCalledWith('known', expect.any(Function))
  expect(turns).toEqual([])
  open()
  expect((await known).status).toBe(200)
  await Promise.all([...flood, ...busy])
  expect(new Set(answered.map(each => each.status))).toEqual(new Set([401]))
  expect([answered.length, turns.length]).toEqual([MOST_WAITING, MOST_WAITING + 1])
  expect(turns[0]).toBe('known')
})

describe('a change comes from our own page', () => {
  const rename = (visitor: Visitor, headers: Record<string, string | undefined> = {}) =>
    visitor.send('PATCH', `accounts/${scene.account.id}/account`, { name: 'Acme' }, headers)

  it('and then it is made', async () => {
    expect((await rename(await signedIn())).status).toBe(200)
  })

  it.each([
    ['without a token', { 'tributary-csrf': undefined }],
    ['with a wrong token', { 'tributary-csrf': 'x'.repeat(43) }],
    ['without an Origin', { origin: undefined }],
    ['from another site', { origin: 'https://evil.example' }],
    ['from a page without a site', { origin: 'null' }],
    ['from another port', { origin: 'http://127.0.0.1:1' }],
  ])('%s it is refused', async (_name, headers) => {
    expect((await rename(await signedIn(), headers)).status).toBe(401)
  })

  it('also before signing in', async () => {
    const body = { email: await newOwner(), password: PASSWORD }
    for (const origin of [undefined, 'https://evil.example'])
      expect((await newVisitor().send('POST', 'session', body, { origin })).status).toBe(401)
    // The address that the operator gave the service counts too, whatever Host a proxy passes on.
    const own = await newVisitor().send('POST', 'session', body, { origin: 'https://programme.example' })
    expect(own.status).toBe(200)
  })

  it('the token of one session does nothing in another', async () => {
    const [one, other] = [await signedIn(), await signedIn()]
    expect((await rename(one, { 'tributary-csrf': other.csrf })).status).toBe(401)
  })
})

describe('signing out', () => {
  it('ends this session and no other', async () => {
    const email = await newOwner()
    const [here, there] = [await signedIn(email), await signedIn(email)]
    const cookie = `tributary=${here.cookies.get('tributary')}`
    const { status, headers } = await here.send('DELETE', 'session')
    expect(status).toBe(200)
    expect(headers.get('set-cookie')).toMatch(/^tributary=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax$/)
    expect((await here.send('GET', 'session', undefined, { cookie })).status).toBe(401)
    expect(await there.session()).toBeDefined()
  })

  it('everywhere ends them all', async () => {
    const email = await newOwner()
    const [here, there, anotherUser] = [await signedIn(email), await signedIn(email), await signedIn()]
    expect((await here.send('DELETE', 'sessions')).status).toBe(200)
    expect([await here.session(), await there.session()]).toEqual([undefined, undefined])
    expect(await anotherUser.session()).toBeDefined()
  })

  it('happens automatically after long inactivity', async () => {
    const visitor = await signedIn()
    const expire = (when: string) =>
      scene.database.owner.query(
        `UPDATE sessions SET expires_at = now() + $1::interval, last_seen_at = now() - interval '10 minutes'
          WHERE user_id = (SELECT max(user_id) FROM sessions)`,
        [when],
      )
    const cookieOfVisit = async () => (await visitor.send('GET', 'session')).headers.getSetCookie()
    expect(await cookieOfVisit()).toEqual([])
    await expire('1 minute')
    // The browser forgets a cookie that isn't renewed with the session.
    expect(await cookieOfVisit()).toEqual([
      `tributary=${visitor.cookies.get('tributary')}; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax`,
    ])
    expect(await cookieOfVisit()).toEqual([])
    expect(await visitor.session()).toBeDefined()
    // That visit began the time anew.
    const { rows } = await scene.database.owner.query(
      "SELECT expires_at > now() + interval '29 days' AS is_long FROM sessions ORDER BY user_id DESC LIMIT 1",
    )
    expect(rows[0].is_long).toBe(true)
    await expire('-1 second')
    expect(await cookieOfVisit()).toEqual([])
    expect(await visitor.session()).toBeUndefined()
  })
})
