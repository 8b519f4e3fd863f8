/** Protects the other ways in: the setup code, the link to a new password, and the invitation open once, for one person, for a while. */
import { hash } from '@node-rs/argon2'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { hashing, MOST_AT_ONCE } from '../../src/programme/accounts/password.ts'
import { listAudit } from '../../src/programme/audit/audit.store.ts'
import { makeResetLink, requestReset, resetPassword } from '../../src/programme/team/reset-password.ts'
import { newSetupCode } from '../../src/programme/team/set-up.ts'
import { unique } from '../factories.ts'
import { createDatabase, startApp, type TestApp, type TestDatabase, useOwnScene } from '../harness.ts'
import { whileHeld } from '../interleave.ts'
import { Person } from './person.ts'
import { Visitor } from './visitor.ts'

const scene = useOwnScene({ TRIBUTARY_TRUST_PROXY: 'true' })
const PASSWORD = 'correct horse battery'
const tokenIn = (link: string) => link.split('#')[1] as string

/** A user with a password and without an account. */
async function newUser(): Promise<string> {
  const email = `${unique('user')}@example.com`
  const cheap = await hash(PASSWORD, { memoryCost: 8, timeCost: 1, parallelism: 1 })
  await scene.database.owner.query(
    'INSERT INTO users (email, email_key, password_hash) VALUES ($1, $1, $2)',
    [email, cheap],
  )
  return email
}

describe('the first account', () => {
  let database: TestDatabase
  let app: TestApp
  beforeAll(async () => {
    database = await createDatabase()
    app = await startApp(database, { TRIBUTARY_TRUST_PROXY: 'true' })
  })
  afterAll(async () => {
    await app.close()
    await database.drop()
  })
  const account = {
    company: 'Acme Ltd',
    email: 'owner@acme.example',
    password: PASSWORD,
    time_zone: 'Asia/Kolkata',
  }

  it('takes the code that the server printed, and one of many who come at once gets it', async () => {
    expect((await new Visitor(app.url).send('GET', 'setup')).body).toEqual({ needed: true })
    const [code, another] = [await newSetupCode(database.db), await newSetupCode(database.db)]
    expect(code).toMatch(/^([A-HJKMNP-Z2-9]{4}-){2}[A-HJKMNP-Z2-9]{4}$/)
    for (const wrong of ['AAAA-AAAA-AAAA', '', code.slice(1)]) {
      const { status } = await new Visitor(app.url).send('POST', 'setup', { code: wrong || ' ', ...account })
      expect(status).toBe(401)
    }
    const short = await new Visitor(app.url).send('POST', 'setup', { code, ...account, password: 'short' })
    expect(short.status).toBe(422)
    const nowhere = await new Visitor(app.url).send('POST', 'setup', {
      code,
      ...account,
      time_zone: '+05:30',
    })
    expect(nowhere.body.error.message).toMatch(/^time_zone must be an IANA time zone/)

    // People copy it by eye: small letters and without the hyphens.
    const written = [code.toLowerCase().replaceAll('-', ' '), code, another, another, code]
    const visitors = written.map(() => new Visitor(app.url))
    const answers = await Promise.all(
      visitors.map((visitor, index) =>
        visitor.send('POST', 'setup', { code: written[index], ...account, email: `${index}@acme.example` }),
      ),
    )
    expect(answers.map(({ status }) => status).filter(status => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => ![200, 401, 409].includes(status))).toEqual([])
    const winner = visitors[answers.findIndex(({ status }) => status === 200)] as Visitor
    const session = await winner.session()
    expect(session?.accounts).toMatchObject([
      { name: 'Acme Ltd', slug: 'acme-ltd', time_zone: 'Asia/Kolkata', role: 'owner' },
    ])
    const counts = await database.owner.query(
      'SELECT (SELECT count(*) FROM accounts)::int AS accounts, (SELECT count(*) FROM users)::int AS users, (SELECT count(*) FROM setup_codes)::int AS codes',
    )
    expect(counts.rows).toEqual([{ accounts: 1, users: 1, codes: 0 }])
    const [id] = session?.accounts.map(each => each.id) ?? []
    expect(await listAudit(database.db, id as number, {})).toMatchObject([
      {
        action: 'account.create',
        actor_kind: 'user',
        actor_name: session?.user.email,
        address: winner.address,
        details: { name: 'Acme Ltd', slug: 'acme-ltd', time_zone: 'Asia/Kolkata' },
      },
    ])
  })

  it('and there is no second one', async () => {
    expect((await new Visitor(app.url).send('GET', 'setup')).body).toEqual({ needed: false })
    const code = await newSetupCode(database.db)
    const { status, body } = await new Visitor(app.url).send('POST', 'setup', { code, ...account })
    expect([status, body.error.code]).toEqual([409, 'invalid_state'])
  })
})

describe('guesses at a secret are counted', () => {
  const secret = 'x'.repeat(43)
  it.each<[path: string, body: object]>([
    ['setup', { code: 'AAAA-AAAA-AAAA', company: 'Mallory', email: 'm@example.com', password: PASSWORD }],
    ['password', { token: secret, password: PASSWORD }],
    ['invitation', { token: secret }],
    ['invitation/accept', { token: secret, password: PASSWORD }],
  ])('%s: ten a minute from one address, however many at once', async (path, body) => {
    const visitor = new Visitor(scene.app.url)
    const answers = await Promise.all(Array.from({ length: 13 }, () => visitor.send('POST', path, body)))
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(3)
    expect(answers.filter(({ status }) => status === 200)).toEqual([])
    expect((await new Visitor(scene.app.url).send('POST', path, body)).status).not.toBe(429)
  })

  it('and a right one works however many wrong ones came from its address', async () => {
    const visitor = new Visitor(scene.app.url)
    const spend = () =>
      Promise.all(Array.from({ length: 12 }, () => visitor.send('POST', 'invitation', { token: secret })))
    const statuses = (await spend()).map(({ status }) => status)
    expect(statuses).toContain(429)
    const email = await newUser()
    const token = tokenIn((await makeResetLink(scene.database.db, 'https://a.example', email)) as string)
    expect((await visitor.send('POST', 'password/link', { token })).status).toBe(200)
    expect((await visitor.send('POST', 'password', { token, password: 'a new password' })).status).toBe(200)
    const owner = await Person.join(scene.app, scene.account.id, 'owner')
    const invitation = { email: `${unique('right')}@example.com`, role: 'viewer' }
    const { body } = await owner.call('invite', { body: invitation })
    const link = { token: tokenIn(body.link) }
    expect((await visitor.send('POST', 'invitation', link)).status).toBe(200)
    const accepted = await visitor.send('POST', 'invitation/accept', { ...link, password: PASSWORD })
    expect(accepted.status).toBe(200)
  })

  it('a wrong link to a new password costs no hash', async () => {
    let open = () => {}
    const gate = new Promise<void>(resolve => {
      open = resolve
    })
    const busy = Array.from({ length: MOST_AT_ONCE }, () => hashing.take('known', () => gate))
    try {
      const visitor = new Visitor(scene.app.url)
      const set = await visitor.send('POST', 'password', { token: secret, password: PASSWORD })
      const joined = await visitor.send('POST', 'invitation/accept', { token: secret, password: PASSWORD })
      expect([set.status, joined.status]).toEqual([409, 409])
    } finally {
      open()
      await Promise.all(busy)
    }
  })
})

describe('a new password', () => {
  const link = async (email: string) =>
    tokenIn((await makeResetLink(scene.database.db, 'https://programme.example', email)) as string)

  it('is set by a mailed link, once, and everybody who was in is out', async () => {
    const email = await newUser()
    const before = new Visitor(scene.app.url)
    await before.signIn(email, PASSWORD)
    expect(await before.session()).toBeDefined()

    expect((await before.send('POST', 'password/reset', { email: email.toUpperCase() })).status).toBe(200)
    const { rows } = await scene.database.owner.query(
      'SELECT account_id, kind, text_body FROM mails WHERE to_address = $1',
      [email],
    )
    expect(rows).toMatchObject([{ account_id: null, kind: 'password_reset' }])
    const token = /\/dashboard\/reset#([\w-]{43})/.exec(rows[0].text_body)?.[1]
    const sibling = await link(email)

    const set = (password: string, used = token) =>
      new Visitor(scene.app.url).send('POST', 'password', { token: used, password })
    expect((await set('short')).status).toBe(422)
    const twice = await Promise.all([set('a new password 1'), set('a new password 2')])
    expect(twice.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect((await set('a new password 3')).status).toBe(409)
    // The user's other links stop working with it.
    expect((await set('a new password 3', sibling)).status).toBe(409)
    expect(await before.session()).toBeUndefined()
    const password = twice[0]?.status === 200 ? 'a new password 1' : 'a new password 2'
    expect((await before.signIn(email, PASSWORD)).status).toBe(401)
    expect((await before.signIn(email, password)).status).toBe(200)
  })

  describe('shuts out a user who is signing in with the old one', () => {
    const sessionsOf = async (email: string) =>
      (
        await scene.database.owner.query(
          'SELECT 1 FROM sessions s JOIN users u ON u.id = s.user_id WHERE u.email = $1',
          [email],
        )
      ).rowCount
    /** Does something once the next hash is verified or made, before its result is used. */
    const afterNextHash = (happens: () => Promise<unknown>) => {
      const take = hashing.take.bind(hashing)
      const spy = vi.spyOn(hashing, 'take').mockImplementationOnce(async (rank, work) => {
        const result = await take(rank, work)
        await happens()
        return result
      })
      onTestFinished(() => spy.mockRestore())
    }

    it('if it is set after theirs was verified', async () => {
      const email = await newUser()
      const token = await link(email)
      const reset = new Visitor(scene.app.url)
      afterNextHash(async () => {
        const { status } = await reset.send('POST', 'password', { token, password: 'a new password' })
        expect(status).toBe(200)
      })
      const intruder = new Visitor(scene.app.url)
      const { status, headers } = await intruder.signIn(email, PASSWORD)
      expect([status, headers.get('set-cookie')]).toEqual([401, null])
      expect(await sessionsOf(email)).toBe(0)
      expect((await reset.signIn(email, 'a new password')).status).toBe(200)
    })

    it('if it is not committed yet when their session starts', async () => {
      const email = await newUser()
      const token = await link(email)
      const { status } = await whileHeld(
        scene.database,
        tx => resetPassword(tx, token, 'a new password'),
        () => new Visitor(scene.app.url).signIn(email, PASSWORD),
      )
      expect([status, await sessionsOf(email)]).toEqual([401, 0])
    })

    it('if they accept an invitation with it: they do not join either', async () => {
      const email = await newUser()
      const token = await link(email)
      const owner = await Person.join(scene.app, scene.account.id, 'owner')
      const { body } = await owner.call('invite', { body: { email, role: 'admin' } })
      const accept = (password: string) =>
        new Visitor(scene.app.url).send('POST', 'invitation/accept', { token: tokenIn(body.link), password })
      const { status } = await whileHeld(
        scene.database,
        tx => resetPassword(tx, token, 'a new password'),
        () => accept(PASSWORD),
      )
      expect([status, await sessionsOf(email)]).toEqual([409, 0])
      const team = (await owner.call('listTeam')).body
      expect(team.members.map((each: { email: string }) => each.email)).not.toContain(email)
      expect((await accept('a new password')).status).toBe(200)
    })
  })

  it('ends a link that is requested at the same moment', async () => {
    const email = await newUser()
    const token = await link(email)
    const { db, owner } = scene.database
    await whileHeld(
      scene.database,
      tx => requestReset(tx, 'https://programme.example', email),
      () => resetPassword(db, token, 'a new password'),
    )
    const { rows } = await owner.query(
      'SELECT FROM password_resets r JOIN users u ON u.id = r.user_id WHERE u.email = $1',
      [email],
    )
    expect(rows).toEqual([])
  })

  it('needs a link that is not too old', async () => {
    const token = await link(await newUser())
    await scene.database.owner.query("UPDATE password_resets SET expires_at = now() - interval '1 second'")
    const { status, body } = await new Visitor(scene.app.url).send('POST', 'password', {
      token,
      password: 'a new password',
    })
    expect([status, body.error.message]).toEqual([409, expect.stringContaining('Request a new one')])
  })

  it('can be requested for any address, with the same response', async () => {
    const answers = [await newUser(), 'unknown@example.com'].map(email =>
      new Visitor(scene.app.url).send('POST', 'password/reset', { email }),
    )
    const [known, unknown] = await Promise.all(answers)
    expect([known?.status, known?.text]).toEqual([unknown?.status, unknown?.text])
    const mails = await scene.database.owner.query(
      "SELECT 1 FROM mails WHERE to_address = 'unknown@example.com'",
    )
    expect(mails.rowCount).toBe(0)
  })

  it('is checked before the form is shown: a used link is reported, and checking does not use it up', async () => {
    const token = await link(await newUser())
    const look = (used = token) => new Visitor(scene.app.url).send('POST', 'password/link', { token: used })
    for (let n = 0; n < 3; n++) expect((await look()).status).toBe(200)
    expect((await look('x'.repeat(43))).status).toBe(409)
    const visitor = new Visitor(scene.app.url)
    expect((await visitor.send('POST', 'password', { token, password: 'a new password' })).status).toBe(200)
    expect((await look()).body.error.message).toBe('This link was used or has expired. Request a new one.')
  })

  it('makes the browser known, so that failed guesses by others do not lock out its user', async () => {
    const email = await newUser()
    const visitor = new Visitor(scene.app.url)
    const attacker = new Visitor(scene.app.url, visitor.address)
    for (let n = 0; n < 12; n++) await attacker.signIn(email, 'wrong password')
    expect((await attacker.signIn(email, PASSWORD)).status).toBe(429)
    const token = await link(email)
    expect((await visitor.send('POST', 'password', { token, password: 'a new password' })).status).toBe(200)
    expect((await visitor.signIn(email, 'a new password')).status).toBe(200)
  })

  it('takes equally long to request, whether or not a user has the address', async () => {
    for (const email of [await newUser(), 'unknown@example.com']) {
      const began = performance.now()
      await new Visitor(scene.app.url).send('POST', 'password/reset', { email })
      expect([email, performance.now() - began > 245]).toEqual([email, true])
    }
  })

  it('cannot flood an inbox: five emails per hour, for any number of concurrent requests and senders', async () => {
    const email = await newUser()
    const mailed = async () =>
      (await scene.database.owner.query('SELECT 1 FROM mails WHERE to_address = $1', [email])).rowCount
    const ask = () => new Visitor(scene.app.url).send('POST', 'password/reset', { email })
    const answers = await Promise.all(Array.from({ length: 9 }, ask))
    expect(answers.map(({ status, text }) => [status, text])).toEqual(
      Array(9).fill([200, '{"sends_emails":false}']),
    )
    expect(await mailed()).toBe(5)
    await scene.database.owner.query(
      `UPDATE password_resets SET expires_at = now() - interval '1 second'
        WHERE user_id = (SELECT id FROM users WHERE email = $1)`,
      [email],
    )
    await ask()
    expect(await mailed()).toBe(6)
  })

  it('is changed with the current one; other sessions end', async () => {
    const email = await newUser()
    const [here, there] = [new Visitor(scene.app.url), new Visitor(scene.app.url)]
    for (const visitor of [here, there]) {
      await visitor.signIn(email, PASSWORD)
      await visitor.session()
    }
    const change = (current: string) =>
      here.send('POST', 'password/change', { current, password: 'another password' })
    const wrong = await change('not my password')
    expect([wrong.status, wrong.body.error.message]).toEqual([422, 'current is incorrect.'])
    const before = here.cookies.get('tributary')
    expect((await change(PASSWORD)).status).toBe(200)
    expect(here.cookies.get('tributary')).not.toBe(before)
    expect([await here.session(), await there.session()]).toEqual([expect.anything(), undefined])
    expect((await there.signIn(email, 'another password')).status).toBe(200)
  })

  it('once it is changed, ends the links to set another', async () => {
    const email = await newUser()
    const visitor = new Visitor(scene.app.url)
    await visitor.signIn(email, PASSWORD)
    await visitor.session()
    const token = await link(email)
    const change = { current: PASSWORD, password: 'another password' }
    expect((await visitor.send('POST', 'password/change', change)).status).toBe(200)
    const set = await new Visitor(scene.app.url).send('POST', 'password', { token, password: PASSWORD })
    expect(set.status).toBe(409)
  })

  it('can be guessed ten times at an open session, and strangers’ guesses do not count there', async () => {
    const email = await newUser()
    const visitor = new Visitor(scene.app.url)
    await visitor.signIn(email, PASSWORD)
    await visitor.session()
    const attacker = new Visitor(scene.app.url, visitor.address)
    for (let n = 0; n < 12; n++) await attacker.signIn(email, 'wrong password')
    const change = (current: string) =>
      visitor.send('POST', 'password/change', { current, password: 'another password' })
    for (let n = 0; n < 10; n++) expect((await change('wrong password')).status).toBe(422)
    expect((await change(PASSWORD)).status).toBe(429)
  })
})

describe('an invitation', () => {
  let owner: Person
  beforeEach(async () => {
    owner ??= await Person.join(scene.app, scene.account.id, 'owner')
  })
  async function invited(email: string, role = 'finance'): Promise<{ id: number; token: string }> {
    const { status, body } = await owner.call('invite', { body: { email, role } })
    expect(status).toBe(200)
    return { id: body.id, token: tokenIn(body.link) }
  }
  const accept = (token: string, password = PASSWORD, visitor = new Visitor(scene.app.url)) =>
    visitor.send('POST', 'invitation/accept', { token, password, name: 'Jane' })
  const look = (token: string) => new Visitor(scene.app.url).send('POST', 'invitation', { token })

  it('adds a new user to the team, signed in, once', async () => {
    const email = `${unique('new')}@example.com`
    const { token } = await invited(email)
    expect((await look(token)).body).toEqual({
      account_name: scene.account.slug,
      email,
      role: 'finance',
      is_known: false,
    })
    const visitors = [new Visitor(scene.app.url), new Visitor(scene.app.url)]
    const answers = await Promise.all(visitors.map(visitor => accept(token, PASSWORD, visitor)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const winner = visitors[answers.findIndex(({ status }) => status === 200)] as Visitor
    expect(await winner.session()).toMatchObject({
      user: { email, name: 'Jane' },
      accounts: [{ id: scene.account.id, role: 'finance' }],
    })
    const [line] = await listAudit(scene.database.db, scene.account.id, { limit: 1 })
    expect(line).toMatchObject({
      action: 'team.join',
      actor_name: email,
      address: winner.address,
      details: { role: 'finance' },
    })
    expect([(await accept(token)).status, (await look(token)).status]).toEqual([409, 409])
    expect((await owner.call('invite', { body: { email, role: 'viewer' } })).status).toBe(409)
  })

  it('of an existing user takes their password', async () => {
    const email = await newUser()
    const { token } = await invited(email, 'viewer')
    expect((await look(token)).body.is_known).toBe(true)
    const wrong = await accept(token, 'not my password')
    expect([wrong.status, wrong.headers.get('set-cookie')]).toEqual([401, null])
    const visitor = new Visitor(scene.app.url)
    expect((await accept(token, PASSWORD, visitor)).status).toBe(200)
    expect((await visitor.session())?.accounts).toMatchObject([{ id: scene.account.id, role: 'viewer' }])
  })

  it('cannot be used to guess a password', async () => {
    const email = await newUser()
    const { token } = await invited(email, 'viewer')
    const visitor = new Visitor(scene.app.url)
    const statuses = []
    for (let n = 0; n < 12; n++) statuses.push((await accept(token, 'not my password', visitor)).status)
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429])
    expect((await visitor.signIn(email, PASSWORD)).status).toBe(429)
    expect((await accept(token, PASSWORD)).status).toBe(200)
  })

  it('that was withdrawn, replaced, is too old or was never made opens nothing', async () => {
    const email = `${unique('late')}@example.com`
    const replaced = await invited(email)
    const withdrawn = await invited(email, 'admin')
    expect((await accept(replaced.token)).status).toBe(409)
    expect((await owner.call('withdrawInvitation', { id: withdrawn.id })).status).toBe(200)
    const old = await invited(`${unique('old')}@example.com`)
    await scene.database.owner.query(
      "UPDATE invitations SET expires_at = now() - interval '1 second' WHERE id = $1",
      [old.id],
    )
    for (const token of [withdrawn.token, old.token, 'x'.repeat(43)])
      expect([(await look(token)).status, (await accept(token)).status]).toEqual([409, 409])
    const { body } = await owner.call('listTeam')
    expect(body.invitations).toEqual([])
  })
})
