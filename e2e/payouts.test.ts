/** Protects finance: from the dry run to the statement, with the program as it is started, and a clear word when it refuses. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asOwner } from './support/embedded-sql.ts'
import { type PayoutProgramme, startPayoutProgramme } from './support/payout-programme.ts'
import { shell, tributary } from './support/program.ts'

const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

let programme: PayoutProgramme
let jane: number
let joe: number
let digest: string
let id: string

beforeAll(async () => {
  programme = await startPayoutProgramme()
  jane = await programme.earner('jane', 10_000, { name: '=Jane' })
  joe = await programme.earner('joe', 4000)
})
afterAll(() => programme?.close())

const fetched = () => programme.client.payouts.get(Number(id))

describe('a manual payout', () => {
  test('begins with a dry run that lists every affiliate', async () => {
    const { run, runJson, campaign, campaignId } = programme
    const dryRun = await runJson('payout', 'preview', ...campaign)
    digest = dryRun.digest
    expect(dryRun).toEqual({
      campaign_id: campaignId,
      rail: 'manual',
      currency: 'USD',
      cut_off: TIMESTAMP,
      time_zone: 'UTC',
      minimum_payout_minor: 1000,
      total_minor: 2000,
      item_count: 1,
      excluded: { below_minimum: 1 },
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      affiliates: [
        {
          affiliate_id: jane,
          email: 'jane@example.com',
          name: '=Jane',
          balance_minor: 2000,
          payable_minor: 2000,
          on_hold_minor: 0,
          in_review_minor: 0,
          in_payout_minor: 0,
          entries: 1,
          item: { amount_minor: 2000, currency: 'USD', payout_address: null },
          reason: null,
        },
        expect.objectContaining({
          affiliate_id: joe,
          payable_minor: 800,
          item: null,
          reason: 'below_minimum',
        }),
      ],
    })
    expect(await run('payout', 'preview', ...campaign)).toBe(
      `${jane}  jane@example.com  balance 20.00  pays 20.00 for 1 commission\n` +
        `${joe}  joe@example.com  balance 8.00  excluded: below_minimum\n` +
        `1 payment, 20.00 USD. Digest ${digest}\n`,
    )
  })

  test('is made only if it is what the dry run showed', async () => {
    const { runJson, refusal, campaign } = programme
    expect(await refusal('payout', 'create', ...campaign, '--digest', '0'.repeat(64))).toBe(
      `The content has changed since the preview: its digest is now ${digest}. Preview it again.\n`,
    )
    const made = await runJson('payout', 'create', ...campaign, '--digest', digest)
    id = String(made.id)
    expect(await fetched()).toEqual(made)
    expect(made).toMatchObject({ rail: 'manual', status: 'pending', items: [{ status: 'pending' }] })
  })

  test('is exported, and counts as sent from then on', async () => {
    const [item] = (await fetched()).items
    expect(await programme.run('payout', 'export', '--id', id)).toBe(
      'item_id,affiliate_id,name,email,paypal_email,amount,currency,reference\r\n' +
        `${item?.id},${jane},'=Jane,jane@example.com,,20.00,USD,Payout item ${item?.id}\r\n`,
    )
    expect(await fetched()).toMatchObject({ status: 'processing', items: [{ status: 'processing' }] })
  })

  test('is paid, and publishes the event', async () => {
    const { runJson, paidEvent } = programme
    const paid = await runJson('payout', 'pay', '--id', id, '--reference', 'SEPA 1')
    expect(paid).toMatchObject({ status: 'paid', items: [{ status: 'paid' }] })
    expect(await fetched()).toEqual(paid)
    expect(await paidEvent(paid.id)).toMatchObject({ type: 'payout.paid', data: paid })
    const [balance] = await runJson('balance', '--affiliate', String(jane))
    expect(balance).toMatchObject({ paid_out_minor: 2000, balance_minor: 0 })
  })

  test('is shown with all that is known of it', async () => {
    const { run, runJson, campaignId } = programme
    expect(await runJson('payout', 'show', '--id', id)).toEqual({
      id: Number(id),
      campaign_id: campaignId,
      rail: 'manual',
      status: 'paid',
      currency: 'USD',
      total_minor: 2000,
      created_at: TIMESTAMP,
      cut_off: TIMESTAMP,
      digest,
      finished_at: TIMESTAMP,
      item_count: 1,
      submissions: [],
      items: [
        {
          id: expect.any(Number),
          affiliate_id: jane,
          email: 'jane@example.com',
          name: '=Jane',
          amount_minor: 2000,
          currency: 'USD',
          status: 'paid',
          payout_address: null,
          reason: null,
          reference: 'SEPA 1',
          external_id: null,
          settled_at: TIMESTAMP,
        },
      ],
    })
    expect(await run('payout', 'show')).toMatch(
      /^\d+ {2}campaign \d+ {2}manual {2}paid {2}1 payment {2}20\.00 USD {2}\S+\n$/,
    )
  })

  test('is in the affiliate’s statement', async () => {
    const file = await programme.run('statement', '--affiliate', String(jane))
    const [heading, ...lines] = file.split('\r\n').map(line => line.split(','))
    expect(heading?.slice(0, 4)).toEqual(['date', 'entry', 'type', 'status'])
    const sums = (sum: string) => [sum, 'USD', sum, 'USD']
    expect(lines.map(line => line.slice(2, -1))).toEqual([
      ['earned', 'paid', 'Paid at once', 'customer-jane', 'Sale sale-jane', ...sums('20.00'), '20.00'],
      ['payout', 'paid', 'Paid at once', '', `Payout ${id}`, ...sums('-20.00'), '0.00'],
      [],
    ])
  })
})

const NO_TIME = /^(cut_off|--as-of) must be an RFC 3339 timestamp such as [^\n]+\n$/
/** Commands of the account that cannot be carried out now, and what they must say: one line, and nothing else. */
const refused: [string, RegExp][] = [
  ['payout preview --campaign 999 --json', /^There is no such campaign\.\n$/],
  ['payout preview CAMPAIGN --cut-off 31.1.2026', NO_TIME],
  ['payout create CAMPAIGN', /^There is nothing to pay: 1 × below_minimum\.\n$/],
  ['payout create CAMPAIGN --digest 5f0c…', /^--digest must be the 64 hexadecimal digits [^\n]+\n$/],
  ['payout show --id 999 --json', /^There is no such payout\.\n$/],
  ['payout pay --id 999', /^There is no such payout\.\n$/],
  ['payout pay --id PAYOUT', /^The payout is paid\.\n$/],
  ['payout fail --id PAYOUT --item 1', /^The payout is paid\.\n$/],
  ['payout fail --id PAYOUT --reason=', /^reason must have 1 to 1000 characters\.\n$/],
  ['payout cancel --id PAYOUT', /^The payout is paid; only a pending payout can be canceled\.\n$/],
  ['payout export --id PAYOUT --format paypal', /^The payout is paid\.\n$/],
  ['statement --affiliate 999', /^There is no such affiliate\.\n$/],
  ['statement --affiliate 1 --as-of May', NO_TIME],
  ['rail paypal --client-id AZ1', /^client_secret must be 1 to 500 visible ASCII characters\.\n$/],
  // What the command line itself refuses also says where help is.
  ['payout pay --id 1 --item 1,x', /argument '1,x' is invalid\. Must be a whole number\.\n/],
  ['payout preview --campaign 1 --rail wise', /Allowed choices are manual, paypal\.\n/],
  ['payout export --id 1 --format pdf', /Allowed choices are paypal, bank\.\n/],
]

describe.concurrent('what cannot be done is refused in a line', () => {
  for (const [line, message] of refused)
    test(line, async () => {
      const given = line.replace('CAMPAIGN', programme.campaign.join(' ')).replace('PAYOUT', id)
      expect(await programme.refusal(...given.split(' '))).toMatch(message)
    })

  test('payout show of an account that does not exist', async () => {
    expect(await tributary(['payout', 'show', '--account', '999'], programme.env)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'There is no such account.\n',
    })
  })
})

test('a dry run of thousands ends when its reader does', async () => {
  const { env, dataDir, account, campaign, campaignId } = programme
  await asOwner(
    dataDir,
    `WITH people AS (
       INSERT INTO affiliates (account_id, email, email_key, status, kind, token)
       SELECT ${account[1]}, format('p%s@x.example', n), format('p%s@x.example', n), 'approved', 'affiliate', format('p-%s', n)
         FROM generate_series(1, 3000) n RETURNING id)
     INSERT INTO commissions (account_id, campaign_id, affiliate_id, entry_type, beneficiary, amount_minor, currency,
       payout_amount_minor, payout_currency, status)
     SELECT ${account[1]}, ${campaignId}, id, 'adjustment', 'affiliate', 1, 'USD', 1, 'USD', 'approved' FROM people`,
  )
  const command = `node server/bin/tributary.js payout preview ${[...account, ...campaign].join(' ')} --json`
  const line = `timeout 120 ${command} | head -c 15; echo " \${PIPESTATUS[0]}"`
  expect(await shell(`bash -c '${line}'`, env)).toMatchObject({ stdout: '{"affiliates":[ 0\n', stderr: '' })
})
