/** Protects exports: a file holds what the list shows, nothing of another account, no formula, no secret. */
import { type DashboardRouteId, dashboardRoutes, may, roles } from '@tributary/contract/dashboard'
import { beforeAll, describe, expect, it } from 'vitest'
import { parseCsv } from '../../src/kit/parse-csv.ts'
import { setRate } from '../../src/money/fx/set-rate.ts'
import { TestClient } from '../client.ts'
import { buildAccount } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { fillLists, type ListGround } from './list-ground.ts'
import { Person } from './person.ts'

const scene = useOwnScene()
let mine: ListGround
let theirs: ListGround
beforeAll(async () => {
  mine = await fillLists(scene, 'mine')
  const account = await buildAccount(scene.database)
  theirs = await fillLists({ ...scene, account, api: new TestClient(scene.app.url, account.key) }, 'theirs')
  for (const [to, rate] of [
    ['USD', '1.0853'],
    ['CHF', '0.95'],
  ] as const)
    await setRate(scene.database.db, { from: 'EUR', to, rate, day: '2026-01-01' })
})

interface ListedFile {
  list: DashboardRouteId
  columns: string
  /** What stands in the first column. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails where it is not there.
  first?: (row: any) => unknown
  id?: (ground: ListGround) => number
  /** What both calls need, and what the list alone needs to be in the same order. */
  query?: (ground: ListGround) => object
  order?: 'oldest'
  /** Lets some of the rows through. */
  filter?: (ground: ListGround) => object
  /** Whether it holds user-supplied text. */
  hasFormula?: false
}

const files: Partial<Record<DashboardRouteId, ListedFile>> = {
  exportExploration: {
    list: 'explore',
    columns:
      'affiliate_id affiliate clicks unique_clicks leads conversions customers sales refunds revenue_USD refunded_USD commissions_USD',
    first: ({ key }) => key,
    query: () => ({ by: 'affiliate' }),
    filter: ({ campaignId }) => ({ campaign_id: campaignId }),
  },
  exportAffiliates: {
    list: 'listAffiliates',
    columns: 'affiliate created_at email name status kind token coupon_code paypal_email tags campaigns owed',
    filter: ({ campaignId }) => ({ campaign_id: campaignId }),
  },
  exportCampaigns: {
    list: 'listCampaigns',
    columns:
      'id created_at name slug status program_type visibility rules hold_days attribution_model attribution_window_days minimum_payout payout_currency review_referrals look_back forbids_paid_search open_enrollment destination_url enrolled has_more_enrolled',
    filter: () => ({ visibility: 'public' }),
  },
  exportReferrals: {
    list: 'listReferrals',
    columns:
      'referral created_at occurred_at customer subscription status is_test affiliate_id affiliate_email affiliate_name campaign_id campaign flags revenue customer_email',
    filter: ({ campaignId }) => ({ campaign_id: campaignId }),
  },
  exportSales: {
    list: 'listSales',
    columns:
      'sale occurred_at external_id referral customer affiliate_id affiliate_email affiliate_name campaign_id campaign amount refunded currency status',
    filter: ({ campaignId }) => ({ campaign_id: campaignId }),
  },
  exportClicks: {
    list: 'listClicks',
    columns:
      'click created_at affiliate_id affiliate_email affiliate_name campaign_id campaign is_bot landing_page referrer utm_source utm_medium utm_campaign sub_id device country ad',
    filter: ({ campaignId }) => ({ campaign_id: campaignId }),
  },
  exportSignals: {
    list: 'listSignals',
    columns:
      'id kind status score parts affiliate_id affiliate_name affiliate_email is_held others campaign_id campaign_name in_review decision reason opened_at decided_at',
    filter: () => ({ status: 'open' }),
  },
  exportUnattributed: {
    list: 'listUnattributed',
    columns:
      'id created_at occurred_at customer_ref campaign_id campaign_name reason sale amount currency candidates affiliates customer_email',
    filter: ({ campaignId }) => ({ campaign_id: campaignId }),
  },
  exportCommissions: {
    list: 'listCommissions',
    columns:
      'entry created_at type status beneficiary affiliate_id affiliate_email affiliate_name campaign_id campaign referral customer is_test amount currency payout_amount payout_currency hold_until description',
    filter: ({ affiliateId }) => ({ affiliate_id: affiliateId }),
  },
  exportPayouts: {
    list: 'listPayouts',
    columns: 'payout campaign_id campaign rail status items total currency cut_off created_at finished_at',
    filter: ({ campaignId }) => ({ campaign_id: campaignId }),
  },
  exportPayoutItems: {
    list: 'listPayoutItems',
    columns: 'item affiliate_id name email payout_address amount currency status reason reference settled_at',
    id: ({ payoutId }) => payoutId,
    order: 'oldest',
    filter: ({ affiliateId }) => ({ affiliate_id: affiliateId }),
  },
  exportPreview: {
    list: 'previewPayout',
    columns:
      'affiliate_id name email amount currency payout_address entries reason balance payable on_hold in_review in_payout',
    query: ({ campaignId }) => ({ campaign_id: campaignId, rail: 'manual' }),
    filter: () => ({ reason: 'below_minimum' }),
  },
  exportWebhookEndpoints: {
    list: 'listWebhookEndpoints',
    columns: 'id created_at url events status failing_since last_delivery',
    filter: () => ({ status: 'active' }),
    hasFormula: false,
  },
  exportDeliveries: {
    list: 'listDeliveries',
    columns:
      'id created_at event_id event_kind is_test endpoint_id url status attempts last_attempt_at response_status error_stage next_attempt_at',
    filter: () => ({ status: 'canceled' }),
    hasFormula: false,
  },
  exportConnectorEvents: {
    list: 'listConnectorEvents',
    columns:
      'id provider_id type status reason occurred_at received_at attempts referral_id sale_external_id refund_external_id',
    id: ({ connectorId }) => connectorId,
    filter: () => ({ status: 'ignored' }),
  },
  exportConnectorCodes: {
    list: 'listConnectorCodes',
    columns: 'id created_at code affiliate_id affiliate_email affiliate_name status external_id problem',
    id: ({ connectorId }) => connectorId,
  },
  exportConnectorCredits: {
    list: 'listConnectorCredits',
    columns: 'id created_at commission_id beneficiary amount currency status customer external_id problem',
    id: ({ connectorId }) => connectorId,
  },
  exportApiKeys: {
    list: 'listApiKeys',
    columns: 'id name last_four created_by created_at last_used_at revoked_at',
  },
  exportTeam: {
    list: 'listTeam',
    columns: 'email name role standing created_at expires_at',
    // A line that begins with a plus sign is a formula too.
    first: ({ email }) => email.replace(/^\+/, "'+"),
  },
  exportRates: {
    list: 'listRates',
    columns: 'base quote rate day source',
    first: ({ base }) => base,
    hasFormula: false,
  },
  exportMails: {
    list: 'listMails',
    columns: 'id created_at kind to_address subject status problem sent_at',
    filter: () => ({ q: '=' }),
  },
  exportAuditLog: {
    list: 'listAuditLog',
    columns: 'id created_at actor_kind actor_id actor_name address action subject_id details subject',
    filter: () => ({ action: 'test.line' }),
  },
}
const table = Object.entries(files) as [DashboardRouteId, ListedFile][]

async function fileOf(route: DashboardRouteId, { id, query }: ListedFile, ground: ListGround, filter = {}) {
  const answer = await ground.owner.call(route, {
    ...(id && { id: id(ground) }),
    query: { ...query?.(ground), ...filter },
  })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
  expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w-]+\.csv"$/)
  const [head, ...rows] = parseCsv(answer.text).map(({ cells }) => cells)
  return { text: answer.text, head, rows }
}

/** The first column, as the list of the page has it. */
async function listed({ list, first = row => row.id, ...file }: ListedFile, ground: ListGround, filter = {}) {
  const { id, query, order } = file
  const { status, body } = await ground.owner.call(list, {
    ...(id && { id: id(ground) }),
    query: { ...query?.(ground), ...(order && { order }), ...filter },
  })
  expect([status, body.next ?? null]).toEqual([200, null])
  const rows: unknown[] = body.data ?? body.rows ?? [...body.members, ...body.invitations]
  return rows.map(row => String(first(row)))
}

it('every list that can be taken away is in the table', () => {
  const exports = Object.entries(dashboardRoutes)
    .filter(([id, [method]]) => id.startsWith('export') && method === 'GET')
    .map(([id]) => id)
  expect(Object.keys(files).sort()).toEqual(exports.sort())
})

describe.each(table)('%s', (route, file) => {
  it('holds what the list shows, in the same order', async () => {
    const { head, rows } = await fileOf(route, file, mine)
    expect(head).toEqual(file.columns.split(' '))
    expect(rows.map(([first]) => first)).toEqual(await listed(file, mine))
    expect(rows.length).toBeGreaterThan(1)
    expect(new Set(rows.map(({ length }) => length))).toEqual(new Set([head?.length]))
  })

  it('holds no formula', async () => {
    const { rows } = await fileOf(route, file, mine)
    const cells = rows.flat().filter(cell => !/^-?\d+(\.\d+)?$/.test(cell))
    expect(cells.filter(cell => /^[=+\-@\t\r]/.test(cell))).toEqual([])
    if (file.hasFormula !== false) expect(cells.join('\n')).toMatch(/^'[=+@\t]mine/m)
  })

  const { filter } = file
  if (filter)
    it('follows the filters of the list', async () => {
      const all = await listed(file, mine)
      const { rows } = await fileOf(route, file, mine, filter(mine))
      expect(rows.map(([first]) => first)).toEqual(await listed(file, mine, filter(mine)))
      expect(rows.length).toBeGreaterThan(0)
      expect(rows.length).toBeLessThan(all.length)
      const wrong = { ...file.query?.(mine), limit: 1 }
      expect((await mine.owner.call(route, { id: 1, query: wrong })).status).toBe(422)
    })

  it('is refused to users who may not see the list', async () => {
    const [, , permission] = dashboardRoutes[route]
    expect(permission).toBe(dashboardRoutes[file.list][2])
    const input = { ...(file.id && { id: file.id(mine) }), query: file.query?.(mine) ?? {} }
    for (const role of roles) {
      const person = await Person.join(scene.app, (await buildAccount(scene.database)).id, role)
      expect([role, (await person.at(scene.account.id).call(route, input)).status]).toEqual([role, 404])
      // With permission, the user gets their own account's list, or a 404 if the id is not in it.
      const { status } = await person.call(route, input)
      expect([role, status === 403]).toEqual([role, !may(role, permission)])
    }
  })

  it('holds nothing of another account', async () => {
    for (const [one, other] of [
      [mine, theirs],
      [theirs, mine],
    ] as const) {
      const { text } = await fileOf(route, file, one)
      if (route !== 'exportRates') expect(text).toContain(one.mark)
      expect(text).not.toContain(other.mark)
    }
    if (file.id || 'campaign_id' in (file.query?.(theirs) ?? {})) {
      const input = { ...(file.id && { id: file.id(theirs) }), query: file.query?.(theirs) ?? {} }
      expect((await mine.owner.call(route, input)).status).toBe(404)
    }
  })

  it('holds no secret', async () => {
    const { text } = await fileOf(route, file, mine)
    expect(mine.secrets.every(secret => secret.length > 20)).toBe(true)
    expect(mine.secrets.filter(secret => text.includes(secret))).toEqual([])
  })
})
