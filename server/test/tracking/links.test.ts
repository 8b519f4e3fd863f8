/** A visitor who follows a link is always redirected, and the click is committed before the redirect. */
import { beforeAll, describe, expect, it } from 'vitest'
import { updateAccount } from '../../src/programme/accounts/update-account.ts'
import { buildAccount, buildAffiliate, buildCampaign, unique } from '../factories.ts'
import { clickRow, countClicks, DESTINATION, errorOf, follow, linkOf, useTracking } from './scene.ts'

const scene = useTracking()
let second: Awaited<ReturnType<typeof buildCampaign>>
beforeAll(async () => {
  const { database, account, affiliate } = scene
  second = await buildCampaign(database, account.id, { destination_url: 'https://other.example/' })
  await buildAffiliate(database, account.id, second.id, { email: affiliate.email })
})

describe('a link', () => {
  it('leads to the destination with the token and the click added, and all else as it was', async () => {
    const { status, location, clickId, headers } = await follow(scene, linkOf(scene))
    expect(status).toBe(302)
    expect(clickId).toBeGreaterThan(0)
    expect(location?.href).toBe(
      DESTINATION.replace('#', `&via=${scene.affiliate.token}&click_id=${clickId}#`),
    )
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('request-id')).toMatch(/\S/)
  })

  it('has its click on the disk when the answer comes', async () => {
    const { clickId } = await follow(scene, linkOf(scene), { referer: 'https://blog.example/post?x=1' })
    expect(await clickRow(scene, clickId)).toMatchObject({
      account_id: String(scene.account.id),
      campaign_id: String(scene.campaign.id),
      affiliate_id: String(scene.affiliate.id),
      visitor_id: null,
      is_bot: false,
      landing_url: DESTINATION,
      referrer: 'https://blog.example/post?x=1',
    })
  })

  it('records a click for every visit', async () => {
    const before = await countClicks(scene)
    const [first, again] = [await follow(scene, linkOf(scene)), await follow(scene, linkOf(scene))]
    expect(again.clickId).not.toBe(first.clickId)
    expect(await countClicks(scene)).toBe(before + 2)
  })

  it('without a campaign means the first enrolment; with one, that', async () => {
    const first = await follow(scene, linkOf(scene))
    const named = await follow(scene, linkOf(scene, `/${second.slug}`))
    expect((await clickRow(scene, first.clickId)).campaign_id).toBe(String(scene.campaign.id))
    expect((await clickRow(scene, named.clickId)).campaign_id).toBe(String(second.id))
    expect(named.location?.origin).toBe('https://other.example')
  })

  it('works with a slash at its end', async () => {
    expect((await follow(scene, linkOf(scene, '/'))).status).toBe(302)
  })

  it('replaces a token or click that the destination already names, however it is written', async () => {
    const { database, account } = scene
    const campaign = await buildCampaign(database, account.id, {
      destination_url: 'https://shop.example/?via=old&%76ia=older&click_id=1&%63lick_id=2&v=1',
    })
    const { token } = await buildAffiliate(database, account.id, campaign.id)
    const { location } = await follow(scene, `/r/${account.slug}/${token}`)
    expect([...(location as URL).searchParams.keys()].toSorted()).toEqual(['click_id', 'v', 'via'])
    expect(location?.searchParams.get('via')).toBe(token)
  })

  it.each([
    ['an added parameter', '?fbclid=abc&utm_source=x'],
    ['one that is there twice', '?utm=1&utm=2'],
    ['one that is not UTF-8', '?x=%ff%zz'],
  ])('works with %s', async (_, query) => {
    const { status, location } = await follow(scene, linkOf(scene, query))
    expect([status, location?.origin]).toEqual([302, 'https://shop.example'])
  })

  it.each(['pending', 'rejected', 'approved'])('of an affiliate that is %s leads on', async status => {
    const { database, account, campaign } = scene
    const { id, token } = await buildAffiliate(database, account.id, campaign.id)
    await database.owner.query('UPDATE affiliates SET status = $1 WHERE id = $2', [status, id])
    expect((await follow(scene, `/r/${account.slug}/${token}`)).status).toBe(302)
  })

  it('never reveals the affiliate’s email address', async () => {
    const { database, account, campaign } = scene
    const email = `${unique('secretive')}@private.example`
    const { token } = await buildAffiliate(database, account.id, campaign.id, { email, name: 'Secretive' })
    const { location, headers } = await follow(scene, `/r/${account.slug}/${token}`)
    for (const text of [location?.href ?? '', JSON.stringify([...headers])])
      expect(text).not.toMatch(/secretive|private\.example/i)
  })
})

describe('HEAD, of a program that checks the link,', () => {
  const head = async (path: string, accept = '*/*') => {
    const before = await countClicks(scene)
    const { status, headers } = await fetch(`${scene.app.url}${path}`, {
      method: 'HEAD',
      redirect: 'manual',
      headers: { accept },
    })
    expect(await countClicks(scene)).toBe(before)
    return [status, headers.get('location')]
  }

  it.each([
    ['', DESTINATION],
    ['?to=/shoes&sub_id=a', 'https://shop.example/shoes'],
    ['?to=https://evil.example/', DESTINATION],
  ])('is redirected to the page, without a click: %s', async (rest, page) => {
    expect(await head(linkOf(scene, rest))).toEqual([302, page])
    // Also where a visitor's link is cached.
    await follow(scene, linkOf(scene, rest))
    expect(await head(linkOf(scene, rest))).toEqual([302, page])
    expect(await head(linkOf(scene, `/${second.slug}`))).toEqual([302, 'https://other.example/'])
  })

  it('of a dead link gets what a visitor gets', async () => {
    for (const path of [
      `/r/${scene.account.slug}`,
      linkOf(scene, '/nothing-here'),
      linkOf(scene, '/a/b/c'),
    ]) {
      expect(await head(path)).toEqual([302, DESTINATION])
      expect(await head(path, 'application/json')).toEqual([404, null])
    }
    expect(await head('/r/unknown-account/x')).toEqual([404, null])
  })
})

describe('404 for a program, and no click, for', () => {
  const refused = async (path: string) => {
    const before = await countClicks(scene)
    const { status, location, body } = await follow(scene, path, { accept: 'application/json' })
    expect({ status, location, body }).toEqual({
      status: 404,
      location: undefined,
      body: errorOf('not_found'),
    })
    expect(await countClicks(scene)).toBe(before)
  }

  it('an unknown account', () => refused(`/r/unknown-account/${scene.affiliate.token}`))
  it('an unknown token', () => refused(`/r/${scene.account.slug}/unknown-token`))
  it('an unknown campaign', () => refused(linkOf(scene, '/nothing-here')))
  it('the token in another case', () =>
    refused(
      `/r/${scene.account.slug}/${scene.affiliate.token.replaceAll(/./g, c => (c.toLowerCase() === c ? c.toUpperCase() : c.toLowerCase()))}`,
    ))
  it('no token at all', () => refused(`/r/${scene.account.slug}`))

  it('a token of another account', async () => {
    const other = await buildAccount(scene.database)
    await refused(`/r/${other.slug}/${scene.affiliate.token}`)
  })

  it('a campaign that the affiliate is not enrolled in', async () => {
    const { slug } = await buildCampaign(scene.database, scene.account.id, {
      destination_url: 'https://shop.example/',
    })
    await refused(linkOf(scene, `/${slug}`))
  })

  it('a campaign without a destination', async () => {
    const { database, account } = scene
    const campaign = await buildCampaign(database, account.id)
    const { token } = await buildAffiliate(database, account.id, campaign.id)
    await refused(`/r/${account.slug}/${token}?to=https://shop.example/`)
  })

  it.each(['%00', 'a%00b', '%ff', '%ed%a0%80', '..%2f..', "'%20OR%201=1--", 'x'.repeat(5000)])(
    'a hostile name: %s',
    async name => {
      await refused(`/r/${scene.account.slug}/${name}`)
      await refused(`/r/${name}/${scene.affiliate.token}`)
      await refused(linkOf(scene, `/${name}`))
    },
  )
})

describe('a dead link sends its visitor to the merchant’s site, without a click', () => {
  const visit = async (path: string) => {
    const before = await countClicks(scene)
    const { status, location, headers } = await follow(scene, path, { accept: 'text/html,*/*;q=0.8' })
    expect(await countClicks(scene)).toBe(before)
    expect(headers.get('cache-control')).toBe('no-store')
    return [status, location?.href]
  }
  const unknown = (rest = '') => `/r/${scene.account.slug}/unknown-token${rest}`

  it.each([
    ['an unknown token', () => unknown()],
    ['no token at all', () => `/r/${scene.account.slug}`],
    ['more than a link has', () => linkOf(scene, '/a/b/c/d')],
    ['an unknown campaign', () => linkOf(scene, '/nothing-here')],
    ['a token with a NUL in it', () => `/r/${scene.account.slug}/a%00b`],
  ])('%s', async (_, path) => {
    expect(await visit(path())).toEqual([302, DESTINATION])
  })

  it('the one of the campaign that it names, also where the affiliate is not enrolled in it', async () => {
    const { slug } = await buildCampaign(scene.database, scene.account.id, {
      destination_url: 'https://third.example/',
    })
    expect(await visit(linkOf(scene, `/${slug}`))).toEqual([302, 'https://third.example/'])
    expect(await visit(unknown(`/${slug}`))).toEqual([302, 'https://third.example/'])
  })

  it('another of the account where its campaign has no destination', async () => {
    const { database, account } = scene
    const campaign = await buildCampaign(database, account.id)
    const { token } = await buildAffiliate(database, account.id, campaign.id)
    expect(await visit(`/r/${account.slug}/${token}`)).toEqual([302, DESTINATION])
  })

  it("the account's site where it has one, unless the link names a campaign with a destination", async () => {
    const { database, account, campaign } = scene
    const site = 'https://www.shop.example/'
    const set = (site_url: string | null) => updateAccount(database.db, account.id, { site_url })
    await expect(set('javascript:alert(1)')).rejects.toThrow('site_url must be an absolute http or https URL')
    await set(site)
    expect(await visit(unknown())).toEqual([302, site])
    expect(await visit(unknown('/nothing-here'))).toEqual([302, site])
    expect(await visit(unknown(`/${campaign.slug}`))).toEqual([302, DESTINATION])
    await expect(set('')).rejects.toThrow('site_url must be an absolute http or https URL')
    // A header can't hold such characters as they are.
    await set('https://läden.example/✓')
    expect(await visit(unknown())).toEqual([302, 'https://xn--lden-loa.example/%E2%9C%93'])
    await set(null)
    expect(await visit(unknown())).toEqual([302, DESTINATION])
  })

  it('a destination from before destinations were checked', async () => {
    const { database, campaign } = scene
    const change = (url: string) =>
      database.owner.query('UPDATE campaigns SET destination_url = $1 WHERE id = $2', [url, campaign.id])
    await change('https://shop.example/✓')
    expect(await visit(unknown(`/${campaign.slug}`))).toEqual([302, 'https://shop.example/%E2%9C%93'])
    await change(DESTINATION)
  })

  it('goes to the page that it names within that site, and nowhere else', async () => {
    expect(await visit(unknown('?to=/shoes'))).toEqual([302, 'https://shop.example/shoes'])
    for (const to of ['https://evil.example/', '//evil.example', 'javascript:alert(1)', 'https:evil.example'])
      expect([to, ...(await visit(unknown(`?to=${encodeURIComponent(to)}`)))]).toEqual([
        to,
        302,
        expect.stringMatching(/^https:\/\/shop\.example\//),
      ])
  })

  it('never the site of another account; a page where the account has none', async () => {
    const other = await buildAccount(scene.database)
    const answer = await fetch(
      `${scene.app.url}/r/${other.slug}/${scene.affiliate.token}?to=${DESTINATION}`,
      {
        redirect: 'manual',
      },
    )
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect(await answer.text()).toContain('This link doesn’t work')
  })
})
