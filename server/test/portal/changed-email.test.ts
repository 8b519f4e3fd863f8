/** After a change of email or a rejection, sessions and links of the old address no longer work. */
import { beforeEach, describe, expect, it } from 'vitest'
import { Person } from '../dashboard/person.ts'
import { buildAffiliate, buildCampaign, unique } from '../factories.ts'
import { useScene } from '../harness.ts'
import { lockWaiters } from '../interleave.ts'
import { countRows } from '../ledger/scene.ts'
import { linkFor, PortalBrowser } from './affiliate.ts'
import { emails, linkIn, write } from './emails.ts'

const scene = useScene({ TRIBUTARY_TRUST_PROXY: 'true' })
let affiliate: { id: number; email: string }
beforeEach(async () => {
  affiliate = await buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id)
})
const browser = () => new PortalBrowser(scene.app, scene.account.slug)
const newEmail = () => `${unique('new')}@example.com`
const openLinks = () =>
  countRows(scene, 'magic_links', 'affiliate_id = $1 AND used_at IS NULL', [affiliate.id])
const sessions = () => countRows(scene, 'portal_sessions', 'affiliate_id = $1', [affiliate.id])

const patch = async (body: object) => {
  expect((await scene.api.patch(`/affiliates/${affiliate.id}`, body)).status).toBe(200)
}
const fromDashboard = async (body: object) => {
  const owner = await Person.join(scene.app, scene.account.id, 'owner')
  expect((await owner.call('updateAffiliate', { id: affiliate.id, body })).status).toBe(200)
}

describe('sessions and unused links end', () => {
  it.each<[string, () => Promise<void>]>([
    ['the API changes the email', () => patch({ email: newEmail() })],
    ['the dashboard changes the email', () => fromDashboard({ email: newEmail() })],
    [
      'both email and PayPal address are changed',
      () => patch({ email: newEmail(), paypal_email: newEmail() }),
    ],
    [
      'the affiliate is rejected, also where the merchant reconsiders',
      async () => {
        await patch({ status: 'rejected' })
        await patch({ status: 'approved' })
      },
    ],
  ])('when %s', async (_name, change) => {
    const other = await buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id)
    const neighbour = await PortalBrowser.signIn(scene, other.id)
    const [here, there] = [
      await PortalBrowser.signIn(scene, affiliate.id),
      await PortalBrowser.signIn(scene, affiliate.id),
    ]
    const link = await linkFor(scene, affiliate.id)
    await browser().call('requestSignInLink', { body: { email: affiliate.email } })
    await write(scene)
    const mailed = linkIn((await emails(scene, affiliate.email)).at(-1) as never)
    await change()
    expect([(await here.me()).status, (await there.me()).status]).toEqual([401, 401])
    for (const path of [link, mailed])
      expect([(await browser().get(path)).status, (await browser().post(path)).status]).toEqual([410, 410])
    expect([await openLinks(), await sessions(), (await neighbour.me()).status]).toEqual([0, 0, 200])
    // A link that is made afterwards works.
    expect((await browser().post(await linkFor(scene, affiliate.id))).status).toBe(303)
  })

  it('and do not when the same address is written another way, or something else changes', async () => {
    const here = await PortalBrowser.signIn(scene, affiliate.id)
    const link = await linkFor(scene, affiliate.id)
    await patch({ email: affiliate.email.toUpperCase(), name: 'Jane', paypal_email: newEmail() })
    expect([(await here.me()).status, (await browser().post(link)).status]).toEqual([200, 303])
  })
})

/** How many backends wait for a lock. */

/** Holds the affiliate's row as a change of its email does, and gives what ends the change. */
async function changeUnderWay() {
  const client = await scene.database.owner.connect()
  // Shorter than it takes PostgreSQL to notice a deadlock.
  await client.query("BEGIN; SET LOCAL lock_timeout = '500ms'")
  await client.query('SELECT 1 FROM affiliates WHERE id = $1 FOR NO KEY UPDATE', [affiliate.id])
  const email = newEmail()
  await client.query('UPDATE affiliates SET email = $2, email_key = $2 WHERE id = $1', [affiliate.id, email])
  return {
    waitedFor: () =>
      expect.poll(async () => (await lockWaiters(scene.database.owner)).length, { timeout: 60_000 }).toBe(1),
    async finish() {
      // In the order of the change: it would deadlock if signing in locked the link first.
      await client.query('DELETE FROM magic_links WHERE affiliate_id = $1 AND used_at IS NULL', [
        affiliate.id,
      ])
      await client.query('DELETE FROM portal_sessions WHERE affiliate_id = $1', [affiliate.id])
      await client.query('COMMIT')
    },
    release: () => client.release(true),
  }
}

describe('beside a change of the email', () => {
  it('a sign-in waits for it, holding no link, and is then refused', async () => {
    const link = await linkFor(scene, affiliate.id)
    const change = await changeUnderWay()
    try {
      const entering = browser().post(link)
      await change.waitedFor()
      await change.finish()
      expect([(await entering).status, await sessions()]).toEqual([410, 0])
    } finally {
      change.release()
    }
  })

  it('no link is mailed to the old address', async () => {
    await browser().call('requestSignInLink', { body: { email: affiliate.email } })
    const change = await changeUnderWay()
    try {
      const writing = write(scene)
      await change.waitedFor()
      await change.finish()
      await writing
      expect([await emails(scene, affiliate.email), await openLinks()]).toEqual([[], 0])
    } finally {
      change.release()
    }
  })

  it('confirming the old address by joining gives no session that outlives it', async () => {
    const open = { visibility: 'public', open_enrollment: true } as const
    const campaign = await buildCampaign(scene.database, scene.account.id, open)
    affiliate = await buildAffiliate(scene.database, scene.account.id, campaign.id)
    await browser().ask('requestToJoin', { body: { email: affiliate.email, campaign_id: campaign.id } })
    await write(scene)
    const link = linkIn((await emails(scene, affiliate.email)).at(-1) as never)
    const client = await scene.database.owner.connect()
    try {
      // No session can start or end for a moment.
      await client.query('BEGIN; LOCK TABLE portal_sessions IN SHARE MODE')
      const joining = browser().post(link)
      await expect
        .poll(async () => (await lockWaiters(scene.database.owner)).length, { timeout: 60_000 })
        .toBe(1)
      const changing = patch({ email: newEmail() })
      await expect
        .poll(async () => (await lockWaiters(scene.database.owner)).length, { timeout: 60_000 })
        .toBe(2)
      await client.query('COMMIT')
      expect((await joining).status).toBe(303)
      await changing
      expect(await sessions()).toBe(0)
    } finally {
      client.release(true)
    }
  })
})
