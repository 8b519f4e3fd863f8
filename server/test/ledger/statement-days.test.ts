/** Protects statements: the days that are chosen and printed are those of the company, and the statement names its time zone. */
import { describe, expect, it } from 'vitest'
import { statementPages } from '../../src/money/statements/csv-statement.ts'
import { updateAccount } from '../../src/programme/accounts/update-account.ts'
import { Person } from '../dashboard/person.ts'
import { buildAccount, buildAffiliate, buildCampaign, buildCommission, type Place } from '../factories.ts'
import { useScene } from '../harness.ts'

const scene = useScene()

/** An account in a zone, with an affiliate who earned a dollar at each of these moments. */
async function ground(zone: string, earned: string[]): Promise<{ place: Place; person: Person }> {
  const { database } = scene
  const { id } = await buildAccount(database)
  await updateAccount(database.db, id, { time_zone: zone })
  const campaign = await buildCampaign(database, id)
  const affiliate = await buildAffiliate(database, id, campaign.id)
  const place = { account_id: id, campaign_id: campaign.id, affiliate_id: affiliate.id }
  for (const created_at of earned) await buildCommission(database, place, { amount_minor: 100, created_at })
  return { place, person: await Person.join(scene.app, id, 'admin') }
}

const cells = (text: string) =>
  text
    .trimEnd()
    .split('\r\n')
    .map(line => line.split(','))

async function statement({ place, person }: Awaited<ReturnType<typeof ground>>, as_of?: string) {
  const { status, text } = await person.call('downloadStatement', {
    id: place.affiliate_id,
    query: as_of === undefined ? {} : { as_of },
  })
  expect(status).toBe(200)
  const [head, ...lines] = cells(text)
  return { head: head?.at(-1), lines: lines.map(line => [line[0], line.at(-1)]) }
}

describe('a statement', () => {
  // 23:30 and 00:30 in Berlin, around the day of 23 hours and the day of 25.
  const moments: [at: string, day: string][] = [
    ['2025-03-29T22:30:00.000Z', '2025-03-29'],
    ['2025-03-29T23:30:00.000Z', '2025-03-30'],
    ['2025-03-30T21:30:00.000Z', '2025-03-30'],
    ['2025-03-30T22:30:00.000Z', '2025-03-31'],
    ['2025-10-25T21:30:00.000Z', '2025-10-25'],
    ['2025-10-25T22:30:00.000Z', '2025-10-26'],
    ['2025-10-26T22:30:00.000Z', '2025-10-26'],
    ['2025-10-26T23:30:00.000Z', '2025-10-27'],
  ]
  const times = moments.map(([at]) => at)

  it('has the day of each entry in the account’s zone, under a heading that names it', async () => {
    expect(await statement(await ground('Europe/Berlin', times))).toEqual({
      head: 'day (Europe/Berlin)',
      lines: moments,
    })
  })

  it.each(['2025-03-29', '2025-03-30', '2025-10-25', '2025-10-26'])(
    'as of %s ends with that day, also where clocks change',
    async day => {
      const { lines } = await statement(await ground('Europe/Berlin', times), day)
      expect(lines).toEqual(moments.filter(each => each[1] <= day))
    },
  )

  it('as of a timestamp does not depend on the zone', async () => {
    const asOf = '2025-03-29T23:00:00Z'
    const berlin = await statement(await ground('Europe/Berlin', times), asOf)
    const tokyo = await statement(await ground('Asia/Tokyo', times), asOf)
    expect(berlin.lines.map(([at]) => at)).toEqual(['2025-03-29T22:30:00.000Z'])
    expect(tokyo.lines.map(([at]) => at)).toEqual(['2025-03-29T22:30:00.000Z'])
    expect(tokyo.lines[0]?.[1]).toBe('2025-03-30')
  })

  it.each(['2025-02-30', '30.3.2025', '2025-3-30', '0001-01-01', '9999-12-31'])(
    'as of %j is refused',
    async as_of => {
      const { place, person } = await ground('Europe/Berlin', [])
      const { status, body } = await person.call('downloadStatement', {
        id: place.affiliate_id,
        query: { as_of },
      })
      expect([status, body.error.message]).toEqual([422, expect.stringMatching(/^as_of must be an RFC 3339/)])
    },
  )

  it('made after a change of the zone is of the new one; amounts and timestamps stay', async () => {
    const here = await ground('Europe/Berlin', times)
    const before = await statement(here)
    await updateAccount(scene.database.db, here.place.account_id, { time_zone: 'America/New_York' })
    const after = await statement(here)
    expect(after.head).toBe('day (America/New_York)')
    expect(after.lines.map(([at]) => at)).toEqual(before.lines.map(([at]) => at))
    expect(after.lines.map(([, day]) => day)).not.toEqual(before.lines.map(([, day]) => day))
  })

  it('keeps to the zone that its heading names while it is changed', async () => {
    const { place } = await ground('Europe/Berlin', times)
    const { db } = scene.database
    const pages = statementPages(db, place.account_id, place.affiliate_id, undefined)
    const head = (await pages.next()).value as string
    await updateAccount(db, place.account_id, { time_zone: 'Pacific/Auckland' })
    let rest = ''
    for await (const page of pages) rest += page
    expect(head).toContain('day (Europe/Berlin)')
    expect(cells(rest).map(line => line.at(-1))).toEqual(moments.map(([, day]) => day))
  })
})

describe('the days that a list is filtered by', () => {
  const times = [
    '2026-03-08T04:59:59.999Z',
    '2026-03-08T05:00:00.000Z',
    '2026-03-09T03:59:59.999Z',
    '2026-03-09T04:00:00.000Z',
  ]

  it.each([
    ['America/New_York', { from: '2026-03-08', until: '2026-03-08' }, [1, 2]],
    ['America/New_York', { until: '2026-03-07' }, [0]],
    ['America/New_York', { from: '2026-03-09' }, [3]],
    ['America/New_York', {}, [0, 1, 2, 3]],
    ['Asia/Kolkata', { from: '2026-03-08', until: '2026-03-08' }, [0, 1]],
    ['UTC', { from: '2026-03-08', until: '2026-03-08' }, [0, 1]],
  ])('in %s, %j, are whole and the account’s', async (zone, query, expected) => {
    const { person } = await ground(zone, times)
    const { body } = await person.call('listCommissions', { query: { ...query, order: 'oldest' } })
    const found = body.data.map((row: { created_at: string }) => row.created_at)
    expect(found).toEqual(expected.map(index => times[index]))
    const { text } = await person.call('exportCommissions', { query })
    expect(cells(text).length - 1).toBe(expected.length)
  })

  it.each(['listCommissions', 'listReferrals', 'listUnattributed'] as const)(
    'are refused by %s where they do not exist',
    async route => {
      const { person } = await ground('UTC', [])
      const { status, body } = await person.call(route, { query: { from: '2026-02-30' } })
      expect([status, body.error.message]).toEqual([422, 'from must be a date such as 2026-01-31.'])
    },
  )
})
