/** Concurrent changes of an affiliate's email, payout address or status. */
import { beforeEach, expect, it } from 'vitest'
import { enrolAffiliate } from '../../src/programme/affiliates/enrol-affiliate.ts'
import { updateAffiliate } from '../../src/programme/affiliates/update-affiliate.ts'
import { mintMagicLink } from '../../src/programme/magic-links/mint-magic-link.ts'
import { buildAffiliate, buildCampaign, unique } from '../factories.ts'
import { useScene } from '../harness.ts'
import { betweenStatements, whileHeld } from '../interleave.ts'
import { countRows } from '../ledger/scene.ts'
import { PortalBrowser } from './affiliate.ts'

const scene = useScene({ TRIBUTARY_TRUST_PROXY: 'true' })
const newEmail = () => `${unique('new')}@example.com`
let affiliate: { id: number; email: string }
beforeEach(async () => {
  affiliate = await buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id)
})
const update = (db: Parameters<typeof updateAffiliate>[0], request: Parameters<typeof updateAffiliate>[3]) =>
  updateAffiliate(db, scene.account.id, affiliate.id, request)

it('an email that becomes free while it is being enrolled belongs to a new affiliate', async () => {
  const { db } = scene.database
  const { email } = affiliate
  const interrupted = betweenStatements(db, () => update(db, { email: newEmail() }))
  const request = { email, campaign_id: scene.place.campaign_id }
  const { created, affiliate: added } = await enrolAffiliate(interrupted, scene.account.id, request)
  expect([created, added.email]).toEqual([true, email])
  expect(added.id).not.toBe(affiliate.id)
})

it('an affiliate who joins a campaign while their email is changed stays one affiliate', async () => {
  const open = { visibility: 'public', open_enrollment: true } as const
  const campaign = await buildCampaign(scene.database, scene.account.id, open)
  const jane = await PortalBrowser.signIn(scene, affiliate.id)
  const answer = await whileHeld(
    scene.database,
    tx => update(tx, { email: newEmail() }),
    () => jane.call('joinCampaign', { id: campaign.id }),
  )
  expect(answer.status).toBe(200)
  expect(await countRows(scene, 'affiliates', 'email = $1', [affiliate.email])).toBe(0)
  const enrolled = 'campaign_id = $1 AND affiliate_id = $2'
  expect(await countRows(scene, 'enrolments', enrolled, [campaign.id, affiliate.id])).toBe(1)
})

it('of two concurrent changes of the payout address the first is notified of the second', async () => {
  const [first, second] = [newEmail(), newEmail()]
  await whileHeld(
    scene.database,
    tx => update(tx, { paypal_email: first }),
    () => update(scene.database.db, { paypal_email: second }),
  )
  const notified = `kind = 'paypal_changed' AND affiliate_id = $1 AND details->>'to' = $2 AND details->>'paypal_email' = $3`
  expect(await countRows(scene, 'notices', notified, [affiliate.id, first, second])).toBe(1)
})

it('no sign-in link is made for an affiliate who is being rejected', async () => {
  const late = whileHeld(
    scene.database,
    tx => update(tx, { status: 'rejected' }),
    () => mintMagicLink(scene.app.services, scene.account.id, affiliate.id),
  )
  await expect(late).rejects.toMatchObject({ code: 'invalid_state' })
  expect(await countRows(scene, 'magic_links', 'affiliate_id = $1', [affiliate.id])).toBe(0)
})
