/** Who can join which campaign: `visibility` decides what is listed, `open_enrollment` who may join, and a private campaign needs its link. */
import type { Campaign } from '@tributary/contract'
import type { CampaignDetail } from '@tributary/contract/dashboard'
import type { PortalLook } from '@tributary/contract/portal'
import { beforeAll, expect, it } from 'vitest'
import { updateCampaign } from '../../src/programme/campaigns/update-campaign.ts'
import { Person } from '../dashboard/person.ts'
import { buildAccount, buildAffiliate, buildCampaign, unique } from '../factories.ts'
import { useScene } from '../harness.ts'
import { PortalBrowser } from './affiliate.ts'
import { emails, linkIn, write } from './emails.ts'

const scene = useScene({ TRIBUTARY_TRUST_PROXY: 'true' })
let owner: Person
const made = {} as Record<'open' | 'invitation' | 'hidden' | 'closed', Campaign>
beforeAll(async () => {
  owner = await Person.join(scene.app, scene.account.id, 'owner')
  const build = (visibility: 'public' | 'private', open_enrollment: boolean) =>
    buildCampaign(scene.database, scene.account.id, { visibility, open_enrollment })
  made.open = await build('public', true)
  made.invitation = await build('public', false)
  made.hidden = await build('private', true)
  made.closed = await build('private', false)
})

const linkOf = async ({ id }: Campaign) =>
  ((await owner.call('getCampaign', { id })).body as CampaignDetail).join_link
const keyOf = async (campaign: Campaign) => (await linkOf(campaign))?.split('/').at(-1) as string
const browser = () => new PortalBrowser(scene.app, scene.account.slug)
const pathOf = (link: string) => link.replace('https://programme.example', '')

/** What the server wrote into a page. */
async function lookAt(path: string): Promise<PortalLook> {
  const page = (await browser().get(path)).text
  return JSON.parse(/<script[^>]*id="look"[^>]*>(.*?)<\/script>/s.exec(page)?.[1] ?? 'null')
}
const ask = (campaign: Campaign, extra: object = {}) =>
  browser().call('requestToJoin', {
    body: { email: `${unique('new')}@example.com`, campaign_id: campaign.id, ...extra },
  })

it('the portal lists public campaigns, those that are not open as by invitation, and no private one', async () => {
  const { campaigns, invited } = await lookAt(`/portal/${scene.account.slug}/join`)
  expect(campaigns.map(({ id, is_open }) => [id, is_open])).toEqual([
    [made.open.id, true],
    [made.invitation.id, false],
  ])
  expect(invited).toBeNull()
  const { id } = await buildAffiliate(scene.database, scene.account.id, made.closed.id)
  const jane = await PortalBrowser.signIn(scene, id)
  const { data } = await jane.ask('listCampaigns')
  expect(data.map((one: { id: number; is_open: boolean }) => [one.id, one.is_open])).toEqual([
    [made.open.id, true],
    [made.invitation.id, false],
  ])
  expect((await jane.call('joinCampaign', { id: made.open.id })).status).toBe(200)
  for (const other of [made.invitation, made.hidden, made.closed])
    expect((await jane.call('joinCampaign', { id: other.id })).status).toBe(404)
})

it('the terms say where paid search is forbidden, before joining and on the link', async () => {
  await updateCampaign(scene.database.db, scene.account.id, made.hidden.id, { forbids_paid_search: true })
  const { campaigns, invited } = await lookAt(pathOf((await linkOf(made.hidden)) as string))
  expect(campaigns.map(each => each.forbids_paid_search)).toEqual([false, false])
  expect(invited?.forbids_paid_search).toBe(true)
  const { id } = await buildAffiliate(scene.database, scene.account.id, made.hidden.id)
  const jane = await PortalBrowser.signIn(scene, id)
  const forbids = ({ data }: { data: { forbids_paid_search: boolean }[] }) =>
    data.map(each => each.forbids_paid_search)
  expect(forbids(await jane.ask('listLinks'))).toEqual([true])
  expect(forbids(await jane.ask('listCampaigns'))).toEqual([false, false])
})

it('the dashboard shows a join link for open campaigns, with a key where the campaign is private', async () => {
  const portal = `https://programme.example/portal/${scene.account.slug}`
  expect(await linkOf(made.open)).toBe(`${portal}/join/${made.open.slug}`)
  expect(await linkOf(made.hidden)).toMatch(
    new RegExp(`^${portal}/join/${made.hidden.slug}/[A-Za-z0-9_-]{20}$`),
  )
  expect([await linkOf(made.invitation), await linkOf(made.closed)]).toEqual([null, null])
})

it('the link of a private campaign shows it and lets people join; without its key nothing does', async () => {
  const link = pathOf((await linkOf(made.hidden)) as string)
  const { invited } = await lookAt(link)
  const key = await keyOf(made.hidden)
  expect(invited).toMatchObject({ id: made.hidden.id, is_open: true, join_key: key })
  const email = `${unique('new')}@example.com`
  expect((await ask(made.hidden, { email, join_key: key })).status).toBe(200)
  await write(scene)
  const confirm = linkIn((await emails(scene, email)).at(-1) as never)
  expect((await browser().post(confirm)).status).toBe(303)
  const { data } = (await scene.api.get(`/affiliates?email=${email}`)).body
  expect(data).toMatchObject([{ status: 'pending', campaign_ids: [made.hidden.id] }])

  const wrong = link.slice(0, -1) + (link.endsWith('A') ? 'B' : 'A')
  for (const path of [wrong, link.slice(0, link.lastIndexOf('/')), `${link}x`])
    expect((await lookAt(path)).invited).toBeNull()
  for (const extra of [
    {},
    { join_key: 'x' },
    { join_key: await keyOf(made.open) },
    { join_key: wrong.slice(-20) },
  ])
    expect((await ask(made.hidden, extra)).status).toBe(422)
})

it('a key is of one campaign of one account, and ends with open enrolment', async () => {
  const second = await buildCampaign(scene.database, scene.account.id, {
    visibility: 'private',
    open_enrollment: true,
  })
  const key = await keyOf(second)
  expect((await ask(made.hidden, { join_key: key })).status).toBe(422)
  const other = await buildAccount(scene.database)
  const theirs = await buildCampaign(scene.database, other.id, {
    visibility: 'private',
    open_enrollment: true,
  })
  expect((await ask(theirs, { join_key: key })).status).toBe(422)
  const link = pathOf((await linkOf(second)) as string)
  await scene.database.owner.query('UPDATE campaigns SET open_enrollment = false WHERE id = $1', [second.id])
  expect((await lookAt(link)).invited).toBeNull()
  expect((await ask(second, { join_key: key })).status).toBe(422)
})

it('a campaign by invitation cannot be joined, whatever is sent', async () => {
  for (const campaign of [made.invitation, made.closed])
    for (const extra of [{}, { join_key: 'x'.repeat(20) }])
      expect((await ask(campaign, extra)).status).toBe(422)
})

it('a confirmation that was asked for in time works although the campaign is no longer listed', async () => {
  const campaign = await buildCampaign(scene.database, scene.account.id, {
    visibility: 'public',
    open_enrollment: true,
  })
  const email = `${unique('new')}@example.com`
  expect((await ask(campaign, { email })).status).toBe(200)
  await write(scene)
  await scene.database.owner.query(`UPDATE campaigns SET visibility = 'private' WHERE id = $1`, [campaign.id])
  expect((await browser().post(linkIn((await emails(scene, email)).at(-1) as never))).status).toBe(303)
})
