/** Only the merchant's own pages may read what the beacon answers. */
import { beforeAll, describe, expect, it } from 'vitest'
import { buildAccount, buildAffiliate, buildCampaign, unique } from '../factories.ts'
import { beacon, clickRow, countClicks, errorOf, follow, linkOf, useTracking } from './scene.ts'

const scene = useTracking()
beforeAll(async () => {
  const { database, account } = scene
  await buildCampaign(database, account.id, { destination_url: 'https://www.second.example/landing' })
  await buildCampaign(database, account.id, { destination_url: 'http://localhost:8080/' })
})

const allowed = async (origin: string, token = scene.affiliate.token) => {
  const sent = { account: scene.account.slug, visitor_id: unique('visitor-0123456789'), token }
  const answer = await beacon(scene, sent, { origin })
  expect(answer.headers.vary).toBe('Origin')
  expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
  return { status: answer.status, header: answer.headers['access-control-allow-origin'], body: answer.body }
}

it.each([
  'https://shop.example',
  'https://www.shop.example',
  'https://checkout.eu.shop.example',
  'https://shop.example:8443',
  'https://second.example',
  'https://www.second.example',
  'https://app.second.example',
  'http://localhost:8080',
  'http://localhost:5173',
])('%s may', async origin => {
  expect(await allowed(origin)).toMatchObject({ status: 201, header: origin })
})

it.each([
  'https://evil.example',
  'http://shop.example',
  'https://evilshop.example',
  'https://shop.example.evil.example',
  'https://shop.example.',
  'https://shop.exampl',
  'https://example',
  'https://shop.example@evil.example',
  'https://localhost:8080',
  'http://localhost.evil.example',
  'https://www.programme.example',
  'null',
  'file://',
  'shop.example',
  '*',
])('%s may not, though its click is recorded like any other', async origin => {
  expect(await allowed(origin)).toMatchObject({ status: 201, header: undefined })
})

describe('a click of the redirect', () => {
  const adopt = async (headers: Record<string, string>) => {
    const { clickId } = await follow(scene, linkOf(scene))
    const before = await countClicks(scene)
    const visitor = { account: scene.account.slug, visitor_id: unique('visitor-0123456789') }
    const sent = { ...visitor, click_id: clickId, token: scene.affiliate.token }
    const { status } = await beacon(scene, sent, headers)
    const { visitor_id } = await clickRow(scene, clickId)
    return {
      status,
      isTaken: visitor_id === sent.visitor_id,
      recorded: (await countClicks(scene)) - before,
    }
  }

  it.each(['https://evil.example', 'null'])(
    '%s can’t take from a visitor whom it has open: their address and browser are those of the click',
    async origin => {
      expect(await adopt({ origin })).toEqual({ status: 422, isTaken: false, recorded: 0 })
    },
  )

  it.each<[string, Record<string, string>]>([
    ['a page of the merchant', { origin: 'https://shop.example' }],
    ['a program, which sends no Origin and has another address', {}],
  ])('%s may name', async (_, headers) => {
    expect(await adopt(headers)).toEqual({ status: 201, isTaken: true, recorded: 0 })
  })
})

it('a destination of another account opens nothing', async () => {
  const other = await buildAccount(scene.database)
  const campaign = await buildCampaign(scene.database, other.id, {
    destination_url: 'https://rival.example/',
  })
  await buildAffiliate(scene.database, other.id, campaign.id)
  expect((await allowed('https://rival.example')).header).toBeUndefined()
})

it('a merchant’s page may read why its visit was refused', async () => {
  const { status, header, body } = await allowed('https://shop.example', 'unknown')
  expect([status, header, body]).toEqual([422, 'https://shop.example', errorOf('validation_failed')])
})

describe('OPTIONS', () => {
  it('lets a page ask to send JSON, and promises nothing about the answer', async () => {
    const headers = {
      origin: 'https://shop.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    }
    const answer = await beacon(scene, '', headers, { method: 'OPTIONS' })
    expect(answer).toMatchObject({
      status: 204,
      body: undefined,
      headers: {
        'access-control-allow-origin': 'https://shop.example',
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'content-type',
        vary: 'Origin',
      },
    })
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
  })

  it('there is nothing to GET', async () => {
    expect((await fetch(`${scene.app.url}/t/clicks`)).status).toBe(404)
  })
})
