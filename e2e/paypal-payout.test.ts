/** Protects money that leaves over PayPal: the running service sends a payout once and follows it to its end. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FakePayPal } from '../testing/fake-paypal.ts'
import { everyRow } from './support/embedded-sql.ts'
import { type PayoutProgramme, startPayoutProgramme } from './support/payout-programme.ts'
import { must, shell } from './support/program.ts'
import { temporaryDirectory } from './support/temporary.ts'
import { until } from './support/until.ts'

const CLIENT_SECRET = 'EK-only-PayPal-and-we-know-this'

let paypal: FakePayPal
let programme: PayoutProgramme
let rich: number
let id: string
let itemId: number

beforeAll(async () => {
  paypal = await FakePayPal.start()
  paypal.bank.clients.set('AZ1', CLIENT_SECRET)
  programme = await startPayoutProgramme({ TRIBUTARY_PAYPAL_URL: paypal.url })
  rich = await programme.earner('rich', 61_700, { paypal_email: 'rich@paypal.example' })
})
afterAll(async () => {
  await programme?.close()
  await paypal?.refuse()
})

test('without credentials nothing is sent, and the command to set them is named', async () => {
  const made = await programme.runJson('payout', 'create', ...programme.campaign, '--rail', 'paypal')
  expect(made).toMatchObject({ rail: 'paypal', items: [{ affiliate_id: rich, amount_minor: 12_340 }] })
  id = String(made.id)
  itemId = made.items[0].id
  expect(await programme.refusal('payout', 'pay', '--id', id)).toBe(
    'The account has no PayPal credentials. Set them with `tributary rail paypal`.\n',
  )
})

test('the secret is read from standard input, and is nowhere in the clear', async () => {
  const file = join(await temporaryDirectory(), 'client-secret.txt')
  await writeFile(file, `${CLIENT_SECRET}\n`)
  const command = `node server/bin/tributary.js rail paypal ${programme.account.join(' ')} --client-id AZ1`
  expect(await shell(`${command} < ${file}`, programme.env)).toMatchObject({
    code: 0,
    stdout: 'PayPal credentials saved.\n',
    stderr: '',
  })
  const everything = await everyRow(programme.dataDir)
  expect(everything).toContain('paypal')
  for (const encoding of ['utf8', 'hex', 'base64'] as const)
    expect(everything).not.toContain(Buffer.from(CLIENT_SECRET).toString(encoding))
})

test('the running service sends it once and follows it to its end', async () => {
  const { run, runJson, client, paidEvent } = programme
  expect(await run('payout', 'pay', '--id', id)).toBe(
    `Payout ${id} is processing: 1 payment, 123.40 USD.\n` +
      'The running service will send it to PayPal and track each payment.\n',
  )
  const done = await until('PayPal has paid', async () => {
    const payout = await client.payouts.get(Number(id))
    return payout.status === 'paid' && payout
  })
  const [batch, ...others] = paypal.bank.batches.values()
  const sent = {
    senderItemId: String(itemId),
    receiver: 'rich@paypal.example',
    value: '123.40',
    currency: 'USD',
  }
  expect([batch, others]).toMatchObject([
    { senderBatchId: expect.stringMatching(new RegExp(`^T${id}-1-`)), items: [sent] },
    [],
  ])
  expect(paypal.bank.paid()).toEqual(new Map([[itemId, { minor: 12_340, times: 1 }]]))
  expect(await paidEvent(Number(id))).toMatchObject({ type: 'payout.paid', data: done })
  expect(await runJson('payout', 'show', '--id', id)).toMatchObject({
    submissions: [{ status: 'accepted', external_id: batch?.id, problem: null }],
    items: [{ status: 'paid', reference: `T${batch?.items[0]?.id}`, payout_address: 'rich@paypal.example' }],
  })
})

test('no log holds the secret, and doctor finds nothing wrong', async () => {
  const { stdout, stderr } = programme.service.output
  expect(stdout + stderr).not.toContain(CLIENT_SECRET)
  expect(await must(['doctor'], programme.env)).not.toContain('FAIL')
})
