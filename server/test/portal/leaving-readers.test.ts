/** Rendering a PDF stops when its client disconnects. */
import PDFDocument from 'pdfkit'
import { expect, it, onTestFinished, vi } from 'vitest'
import { Unread } from '../../../testing/unread.ts'
import { useScene } from '../harness.ts'
import { approvedAffiliate } from '../ledger/scene.ts'
import { PortalBrowser } from './affiliate.ts'

const scene = useScene({ TRIBUTARY_TRUST_PROXY: 'true' })
const LINES = 2000
/** About two dozen lines to a page. */
const PAGES = LINES / 25

it('a statement is drawn no further once its reader has left', async () => {
  const campaignId = scene.place.campaign_id
  const affiliate = await approvedAffiliate(scene, campaignId)
  await scene.database.owner.query(
    `INSERT INTO commissions (account_id, campaign_id, affiliate_id, entry_type, beneficiary, amount_minor, currency,
       payout_amount_minor, payout_currency, status)
     SELECT $1, $2, $3, 'adjustment', 'affiliate', 1, 'USD', 1, 'USD', 'approved' FROM generate_series(1, $4)`,
    [scene.account.id, campaignId, affiliate.id, LINES],
  )
  const reader = await PortalBrowser.signIn(scene, affiliate.id)
  const next = await PortalBrowser.signIn(scene, (await approvedAffiliate(scene, campaignId)).id)
  const addPage = vi.spyOn(PDFDocument.prototype, 'addPage')
  onTestFinished(() => addPage.mockRestore())

  const path = `/portal/${scene.account.slug}/api/statement.pdf`
  const cookie = [...reader.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const { status, unread } = Unread.get(scene.app.url, path, { cookie })
  expect(await status).toBe(200)
  unread.leave()
  // One is drawn at a time: when the next one is there, the first is over.
  expect((await next.call('printStatement')).status).toBe(200)
  const [document] = addPage.mock.contexts
  const drawn = addPage.mock.contexts.filter(each => each === document).length
  expect(drawn).toBeGreaterThan(0)
  expect(drawn).toBeLessThan(PAGES / 2)
})
