/** Adding an affiliate in the dashboard: ready to start, with a readable token, and all or nothing. */
import type { AffiliateDetail } from '@tributary/contract/dashboard'
import { beforeAll, describe, expect, it } from 'vitest'
import { unique } from '../factories.ts'
import { startApp, useScene } from '../harness.ts'
import { PortalBrowser } from '../portal/affiliate.ts'
import { type Email, emails, linkIn } from '../portal/emails.ts'
import { Person } from './person.ts'

const scene = useScene({ TRIBUTARY_TRUST_PROXY: 'true', TRIBUTARY_SMTP_URL: 'smtp://127.0.0.1:9' })
let admin: Person
beforeAll(async () => {
  admin = await Person.join(scene.app, scene.account.id, 'admin')
})

const newEmail = () => `${unique('jane')}@example.com`
const add = (body: object, person = admin) =>
  person.call('createAffiliate', {
    body: { email: newEmail(), campaign_id: scene.place.campaign_id, ...body },
  })
const show = async (id: number): Promise<AffiliateDetail> => (await admin.call('getAffiliate', { id })).body
const approvals = async (id: number) =>
  (
    await scene.database.owner.query(
      "SELECT 1 FROM events WHERE kind = 'promoter.approved' AND subject_id = $1",
      [id],
    )
  ).rowCount

describe('the status', () => {
  it('is approved with its event if wanted, and pending otherwise', async () => {
    const { id } = (await add({ approve: true })).body
    expect([(await show(id)).status, await approvals(id)]).toEqual(['approved', 1])
    for (const body of [{}, { approve: false }]) {
      const pending = (await add(body)).body
      expect([(await show(pending.id)).status, await approvals(pending.id)]).toEqual(['pending', 0])
    }
  })

  it('of an existing affiliate stays, and no invitation is sent', async () => {
    const email = newEmail()
    const { id } = (await add({ email })).body
    const again = await add({ email, approve: true, invite: true })
    expect(again.body).toEqual({ id, created: false, invited: false })
    expect([(await show(id)).status, await emails(scene, email)]).toEqual(['pending', []])
  })
})

describe('the invitation', () => {
  it('is the only email about being added, and signs in', async () => {
    const email = newEmail()
    const { body } = await add({ email, name: 'Jane', approve: true, invite: true })
    expect(body).toEqual({ id: expect.any(Number), created: true, invited: true })
    const sent = await emails(scene, email)
    expect(sent.map(({ kind }) => kind)).toEqual(['invitation'])
    const browser = new PortalBrowser(scene.app, scene.account.slug)
    expect((await browser.post(linkIn(sent[0] as Email))).status).toBe(303)
    expect((await browser.me()).body).toMatchObject({ id: body.id })
  })

  it('is refused without an SMTP server, and then nothing is added', async () => {
    const app = await startApp(scene.database)
    try {
      const email = newEmail()
      const person = await Person.join(app, scene.account.id, 'admin')
      expect((await add({ email, approve: true, invite: true }, person)).status).toBe(409)
      expect((await admin.call('listAffiliates', { query: { q: email } })).body.data).toEqual([])
    } finally {
      await app.close()
    }
  })
})

describe('the token', () => {
  it('is made from the name, numbered when that is taken, and generated without a name', async () => {
    const name = unique('Zoë van Dam ')
    const base = name
      .toLowerCase()
      .replace('ë', 'e')
      .replaceAll(/[^a-z0-9]+/g, '-')
    const tokens = []
    for (const body of [{ name }, { name }, { name, token: 'my-own' }, {}])
      tokens.push((await show((await add(body)).body.id)).token)
    expect(tokens).toEqual([base, `${base}-2`, 'my-own', expect.stringMatching(/^[0-9A-Za-z]{12}$/)])
  })

  it('differs for twelve people of one name who are added at the same time', async () => {
    const name = unique('Crowd')
    const added = await Promise.all(Array.from({ length: 12 }, () => add({ name, approve: true })))
    expect(added.map(({ status }) => status)).toEqual(Array(12).fill(200))
    const tokens = await Promise.all(added.map(async ({ body }) => (await show(body.id)).token))
    expect(new Set(tokens).size).toBe(12)
    expect(tokens).toContain(name.toLowerCase())
  })

  it('that a user enters is refused when it is taken', async () => {
    await add({ token: 'taken-by-one' })
    const { status, body } = await add({ token: 'taken-by-one', name: 'Other' })
    expect([status, body.error.message]).toEqual([409, 'token is taken by another affiliate.'])
  })
})
