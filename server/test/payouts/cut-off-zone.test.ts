/** Protects cut-offs: a day or a local time is read in the account's time zone once, and what was previewed is what is paid. */
import { describe, expect, it } from 'vitest'
import { sql } from '../../src/db/sql.ts'
import { payoutScope } from '../../src/money/payouts/payout-scope.ts'
import { updateAccount } from '../../src/programme/accounts/update-account.ts'
import { listAudit } from '../../src/programme/audit/audit.store.ts'
import { usePayouts } from '../dashboard/payout-scene.ts'
import { buildCommission } from '../factories.ts'
import { lockWaiters, whileHeld } from '../interleave.ts'
import { create, owed, preview, show, undone } from './ground.ts'

const scene = usePayouts()
const zoneIs = (time_zone: string) => updateAccount(scene.database.db, scene.account.id, { time_zone })

/** An affiliate who earned a different amount at each moment, so that a total shows which of them count. */
async function earnedAt(...moments: string[]): Promise<void> {
  const affiliate = await owed(scene, scene.campaign, [])
  const place = {
    account_id: scene.account.id,
    campaign_id: scene.campaign.id,
    affiliate_id: affiliate.id,
  }
  for (const [index, created_at] of moments.entries())
    await buildCommission(scene.database, place, {
      status: 'approved',
      amount_minor: 1000 * 2 ** index,
      created_at,
    })
}

const dryRun = (cut_off?: string) =>
  scene.ask('previewPayout', {
    query: { campaign_id: scene.campaign.id, rail: 'manual', ...(cut_off && { cut_off }) },
  })
const creating = (body: object) =>
  scene.finance.call('createPayout', { body: { campaign_id: scene.campaign.id, rail: 'manual', ...body } })

describe('a cut-off', () => {
  it.each([
    ['Europe/Berlin', '2025-12-31', '2025-12-31T22:59:59.999Z'],
    ['America/New_York', '2025-12-31', '2026-01-01T04:59:59.999Z'],
    ['UTC', '2025-12-31', '2025-12-31T23:59:59.999Z'],
    ['Europe/Berlin', '2025-12-31T18:00', '2025-12-31T17:00:00.000Z'],
    ['Asia/Kathmandu', '2025-12-31T18:00', '2025-12-31T12:15:00.000Z'],
    // The day of 23 hours and the one of 25 end with their last hour.
    ['Europe/Berlin', '2025-03-30', '2025-03-30T21:59:59.999Z'],
    ['Europe/Berlin', '2025-10-26', '2025-10-26T22:59:59.999Z'],
    ['America/Havana', '2025-11-01', '2025-11-02T03:59:59.999Z'],
    // 02:30 is skipped in spring, and comes twice in autumn: the later moment is meant.
    ['Europe/Berlin', '2025-03-30T02:30', '2025-03-30T01:30:00.000Z'],
    ['Europe/Berlin', '2025-10-26T02:30', '2025-10-26T01:30:00.000Z'],
  ])('in %s of %s is %s', async (zone, text, moment) => {
    await zoneIs(zone)
    expect(await dryRun(text)).toMatchObject({ cut_off: moment, time_zone: zone })
    expect(await preview(scene, scene.campaign, { cutOff: text })).toMatchObject({ cutOff: moment })
  })

  it('that is a timestamp, or now, is paid though PostgreSQL no longer has the zone', async () => {
    await earnedAt('2025-06-01T12:00:00.000Z')
    await undone(scene.database, async tx => {
      await tx.many(sql`UPDATE accounts SET time_zone = 'Mars/Olympus' WHERE id = ${scene.account.id}`)
      for (const cutOff of ['2025-06-01T12:00:00.000Z', undefined]) {
        const scope = { campaignId: scene.campaign.id, rail: 'manual', cutOff } as const
        expect(await payoutScope(tx, scene.account.id, scope)).toMatchObject({ timeZone: 'Mars/Olympus' })
      }
    })
  })

  it('of a day takes in what was earned at 23:30 of it, and nothing of the next', async () => {
    await zoneIs('Europe/Berlin')
    await earnedAt('2025-12-31T22:30:00.000Z', '2025-12-31T22:59:59.999Z', '2025-12-31T23:00:00.000Z')
    expect((await dryRun('2025-12-31')).total_minor).toBe(3000)
    await zoneIs('America/New_York')
    expect((await dryRun('2025-12-31')).total_minor).toBe(7000)
    await zoneIs('Asia/Tokyo')
    expect((await dryRun('2025-12-31')).total_minor).toBe(0)
  })

  it('as a timestamp does not depend on the zone', async () => {
    await zoneIs('Asia/Tokyo')
    expect((await dryRun('2025-12-31T22:30:00+01:00')).cut_off).toBe('2025-12-31T22:30:00+01:00')
  })

  it.each(['2025-02-30', '31.12.2025', '2025-12-31T25:00', '2025-12-31 18:00'])(
    'is not %j',
    async cut_off => {
      const { status, body } = await scene.finance.call('previewPayout', {
        query: { campaign_id: scene.campaign.id, rail: 'manual', cut_off },
      })
      expect([status, body.error.message]).toEqual([
        422,
        expect.stringMatching(/^cut_off must be an RFC 3339/),
      ])
    },
  )
})

describe('a change of the zone', () => {
  it('between the preview and the payout changes nothing: the page sends the moment that it was shown', async () => {
    await zoneIs('Europe/Berlin')
    await earnedAt('2025-12-31T22:30:00.000Z', '2025-12-31T23:30:00.000Z')
    const { cut_off, digest, total_minor } = await dryRun('2025-12-31')
    await zoneIs('America/New_York')
    const made = await creating({ cut_off, digest })
    expect(made.body).toMatchObject({ items: 1, total_minor })
    const shown = await scene.ask('getPayout', { id: made.body.id })
    expect(shown).toMatchObject({ cut_off: '2025-12-31T22:59:59.999Z', time_zone: 'America/New_York' })
  })

  it('makes a payout of a day another one, which its digest refuses', async () => {
    await zoneIs('Europe/Berlin')
    await earnedAt('2025-12-31T22:30:00.000Z', '2025-12-31T23:30:00.000Z')
    const { digest } = await dryRun('2025-12-31')
    await zoneIs('America/New_York')
    const refused = await creating({ cut_off: '2025-12-31', digest })
    expect([refused.status, refused.body.error.code]).toEqual([409, 'conflict'])
    await expect(create(scene, scene.campaign, { cutOff: '2025-12-31', digest })).rejects.toMatchObject({
      code: 'conflict',
    })
    await zoneIs('Europe/Berlin')
    expect((await creating({ cut_off: '2025-12-31', digest })).status).toBe(200)
  })

  it('leaves the cut-off of an earlier payout where it was', async () => {
    await zoneIs('Europe/Berlin')
    await earnedAt('2025-12-31T22:30:00.000Z')
    const { id } = await create(scene, scene.campaign, { cutOff: '2025-12-31' })
    await zoneIs('Asia/Tokyo')
    expect((await show(scene, id)).cut_off).toBe('2025-12-31T22:59:59.999Z')
  })

  it('that is under way holds up no payout, which is of the zone before', async () => {
    await zoneIs('Europe/Berlin')
    await earnedAt('2025-12-31T22:30:00.000Z', '2025-12-31T23:30:00.000Z')
    const { digest } = await dryRun('2025-12-31')
    const { database, account } = scene
    const made = await whileHeld(
      database,
      tx => updateAccount(tx, account.id, { time_zone: 'America/New_York' }),
      () => creating({ cut_off: '2025-12-31', digest }),
      async () => expect(await lockWaiters(database.owner)).toEqual([]),
    )
    expect([made.status, made.body.total_minor]).toEqual([200, 1000])
    expect((await scene.ask('getPayout', { id: made.body.id })).time_zone).toBe('America/New_York')
  })
})

it('the audit log has the moment that a day meant', async () => {
  await zoneIs('Europe/Berlin')
  await earnedAt('2025-12-31T22:30:00.000Z')
  const { digest } = await dryRun('2025-12-31')
  const { body } = await creating({ cut_off: '2025-12-31', digest })
  const [entry] = await listAudit(scene.database.db, scene.account.id, { limit: 1 })
  expect(entry).toMatchObject({
    action: 'payout.create',
    subject_id: body.id,
    details: { cut_off: '2025-12-31T22:59:59.999Z' },
  })
})
