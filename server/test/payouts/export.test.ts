/** A payment file contains every open item exactly once, and no spreadsheet formulas. */
import type { Affiliate, Campaign } from '@tributary/contract'
import { beforeEach, describe, expect, it } from 'vitest'
import { brokenInvariants, useSoundScene } from '../harness.ts'
import { openCampaign } from '../ledger/scene.ts'
import {
  create,
  earnFor,
  exported,
  markFailed,
  markPaid,
  type Names,
  owed,
  show,
  statuses,
  written,
} from './ground.ts'

const scene = useSoundScene()
const open = (terms: Parameters<typeof openCampaign>[2] = {}) =>
  openCampaign(scene.database, scene.account.id, terms)

let campaign: Campaign
beforeEach(async () => {
  campaign = await open()
})

/** Lines of a file without the last, empty one. */
const linesOf = (file: string) => {
  expect(file.endsWith('\r\n')).toBe(true)
  return file.split('\r\n').slice(0, -1)
}

/** A payout of one item, and the id of that item. */
async function single(
  names: Names,
  amount = 12_345,
): Promise<{ id: number; item: number; affiliate: Affiliate }> {
  const affiliate = await owed(scene, campaign, [amount], names)
  const { id } = await create(scene, campaign)
  return { id, item: (await show(scene, id)).items[0]?.id as number, affiliate }
}

describe('the file', () => {
  it('for PayPal has five columns and no heading', async () => {
    const first = await owed(scene, campaign, [123_456])
    const second = await owed(scene, campaign, [5])
    const { id } = await create(scene, campaign)
    const [one, two] = (await show(scene, id)).items.map(item => item.id)
    expect(await exported(scene, id, 'paypal')).toBe(
      `${first.paypal_email},1234.56,USD,${one},Payout item ${one}\r\n${second.paypal_email},0.05,USD,${two},Payout item ${two}\r\n`,
    )
  })

  it.each([
    ['HUF', 12_345],
    ['KWD', 12_345],
  ])(
    'for PayPal is refused in %s, which PayPal does not pay exactly, and the payout stays as it is',
    async (currency, amount) => {
      campaign = await open({ payout_currency: currency })
      const { id } = await single({}, amount)
      const before = await written(scene, scene.account.id)
      await expect(exported(scene, id, 'paypal')).rejects.toMatchObject({
        code: 'invalid_state',
        message: `PayPal does not pay ${currency} exactly. Use the bank file.`,
      })
      expect(await written(scene, scene.account.id)).toEqual(before)
      expect(linesOf(await exported(scene, id, 'bank'))).toHaveLength(2)
    },
  )

  it('for a bank has a heading, and says who it is for', async () => {
    const { id, item, affiliate } = await single({ name: 'Zoë O’Neill', paypal_email: null })
    expect(linesOf(await exported(scene, id, 'bank'))).toEqual([
      'item_id,affiliate_id,name,email,paypal_email,amount,currency,reference',
      `${item},${affiliate.id},Zoë O’Neill,${affiliate.email},,123.45,USD,Payout item ${item}`,
    ])
  })

  it.each([
    ['JPY', 2000, '2000'],
    ['KWD', 1234, '1.234'],
    ['KWD', 5, '0.005'],
    ['CLF', 12_345, '1.2345'],
  ])('writes an amount of %s with its decimals', async (payout_currency, amount, text) => {
    const foreign = await open({ payout_currency })
    const affiliate = await owed(scene, foreign, [])
    await earnFor(scene, foreign, affiliate, amount * 5)
    const { id } = await create(scene, foreign)
    expect(await exported(scene, id, 'bank')).toContain(`,${text},${payout_currency},`)
  })
})

describe('a spreadsheet that opens it', () => {
  it.each([
    ['=HYPERLINK("https://evil.example";"x")', `"'=HYPERLINK(""https://evil.example"";""x"")"`],
    ['+1+1', `'+1+1`],
    ['-2+3', `'-2+3`],
    ['@SUM(A1)', `'@SUM(A1)`],
    ['\t=1', `"'\t'=1"`],
    ['Doe;=1', `"Doe;'=1"`],
    ['Doe, Jane', '"Doe, Jane"'],
    ['Jane "J" Doe', '"Jane ""J"" Doe"'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['Jane = Doe', 'Jane = Doe'],
  ])('takes the name %j for text', async (name, cell) => {
    const { id, item, affiliate } = await single({ name })
    expect(await exported(scene, id, 'bank')).toContain(
      `\r\n${item},${affiliate.id},${cell},${affiliate.email},`,
    )
  })

  it.each(['+jane@example.com', '=jane@example.com', '-jane@example.com'])(
    'but PayPal gets the address %s as it is: a changed one may belong to another person',
    async paypal_email => {
      const { id } = await single({ paypal_email })
      expect(linesOf(await exported(scene, id, 'paypal'))[0]?.split(',')[0]).toBe(paypal_email)
    },
  )
})

describe('writing it', () => {
  it('counts as sending: the payout is under way, and can be written again', async () => {
    const { id } = await single({})
    const file = await exported(scene, id, 'bank')
    expect(await statuses(scene, id)).toEqual(['processing', 'processing'])
    expect(await exported(scene, id, 'bank')).toBe(file)
    await markPaid(scene, id)
    expect(await statuses(scene, id)).toEqual(['paid', 'paid'])
  })

  it('leaves out what is paid or failed already', async () => {
    for (const amount of [100, 200, 300]) await owed(scene, campaign, [amount])
    const { id } = await create(scene, campaign)
    const [first, second, third] = (await show(scene, id)).items.map(item => item.id) as [
      number,
      number,
      number,
    ]
    await markPaid(scene, id, [first])
    await markFailed(scene, id, [second])
    expect(linesOf(await exported(scene, id, 'bank')).map(line => line.split(',')[0])).toEqual([
      'item_id',
      String(third),
    ])
  })

  it('for PayPal names the items without an address, and changes nothing', async () => {
    const { id, item } = await single({ paypal_email: null })
    const before = await written(scene, scene.account.id)
    await expect(exported(scene, id, 'paypal')).rejects.toMatchObject({
      code: 'invalid_state',
      message: `Items without a PayPal address: ${item}. Mark them failed first, or use the bank file.`,
    })
    expect(await written(scene, scene.account.id)).toEqual(before)
    await markFailed(scene, id, [item])
    await owed(scene, campaign, [100])
    const next = await create(scene, campaign, { rail: 'paypal' })
    await expect(exported(scene, next.id, 'bank')).rejects.toMatchObject({
      code: 'invalid_state',
      message: 'This payout is paid by paypal; it has no payment file.',
    })
  })
})

it('all of it leaves the ledger whole', async () => {
  expect(await brokenInvariants(scene.database)).toEqual([])
})
