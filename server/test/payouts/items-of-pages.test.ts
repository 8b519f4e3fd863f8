/** Protects the service from a page of many large payouts: it ends early, and the next one goes on where it ended. */
import { expect, it } from 'vitest'
import { listPayouts } from '../../src/money/payouts/payout.store.ts'
import { useScene } from '../harness.ts'
import { openCampaign } from '../ledger/scene.ts'
import { create, owed } from './ground.ts'

const scene = useScene()

it('a page ends with the payout that has the last items that fit', async () => {
  const { database, account } = scene
  const campaign = await openCampaign(database, account.id)
  const ids: number[] = []
  for (const items of [2, 1, 5, 1, 3, 1]) {
    for (let index = 0; index < items; index++) await owed(scene, campaign, [1000])
    ids.unshift((await create(scene, campaign)).id)
  }
  const list = async (mostItems: number, query: { limit?: number; starting_after?: number } = {}) => {
    const { data, has_more } = await listPayouts(
      database.db,
      account.id,
      { campaign_id: campaign.id, ...query },
      mostItems,
    )
    return { items: data.map(payout => payout.items.length), has_more, last: data.at(-1)?.id }
  }
  expect(await list(13)).toEqual({ items: [1, 3, 1, 5, 1, 2], has_more: false, last: ids[5] })
  expect(await list(13, { limit: 5 })).toEqual({ items: [1, 3, 1, 5, 1], has_more: true, last: ids[4] })
  // Also one with more items than fit into a page is listed, alone if it comes first.
  const pages: number[][] = []
  for (let page = await list(3); ; page = await list(3, { starting_after: page.last as number })) {
    pages.push(page.items)
    if (!page.has_more) break
  }
  expect(pages).toEqual([
    [1, 3],
    [1, 5],
    [1, 2],
  ])
})
