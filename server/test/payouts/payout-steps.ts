import { Database } from '../../src/db/database.ts'
import { sql } from '../../src/db/sql.ts'
import { SecretBox } from '../../src/kit/secret-box.ts'
import { createPayout } from '../../src/money/payouts/create-payout.ts'
import { markPayments } from '../../src/money/payouts/mark-payments.ts'
import { OpenRails } from '../../src/money/payouts/open-rails.ts'
import { listPayouts } from '../../src/money/payouts/payout.store.ts'
import { processSubmissions } from '../../src/money/payouts/process-submissions.ts'
import { settleAllPayouts } from '../../src/money/payouts/settle-payout.ts'
import { submitPayout } from '../../src/money/payouts/submit-payout.ts'
import type { PayoutJob } from './payout-process.ts'

// The program of a process that a test ends at some step: a person and the service at once. It makes the payout of a campaign if
// there is none, pays it if it was not paid, and follows it to its end; whatever an earlier process left is taken up from there.
const { connection, secretKey, paypalUrl, accountId, campaignId, rail }: PayoutJob = JSON.parse(
  process.env.PAYOUT_JOB ?? '',
)
const db = new Database(connection, error => {
  throw error
})
const secrets = new SecretBox(secretKey)
const rails = new OpenRails({ db, secrets, settings: { TRIBUTARY_PAYPAL_URL: paypalUrl } }, 5_000)

const heads = async () => (await listPayouts(db, accountId, { campaign_id: campaignId })).data

async function pay(id: number): Promise<void> {
  if (rail === 'paypal') await submitPayout(db, secrets, accountId, id)
  else await markPayments(db, accountId, id, { outcome: 'paid', reason: null, reference: 'manual' })
}

/** Leases end and waiting times pass, which a test does not wait for. */
const passTime = () =>
  db.many(sql`
    UPDATE payout_submissions SET due_at = now() - interval '1 minute' WHERE account_id = ${accountId} AND due_at IS NOT NULL`)

await heads()
process.stdout.write('started\n')
if ((await heads()).length === 0) await createPayout(db, accountId, { campaignId, rail })
for (const { id, status } of await heads()) if (status === 'pending') await pay(id)
const open = async () => (await heads()).some(({ status }) => status === 'processing')
for (const endsAt = Date.now() + 60_000; await open(); ) {
  if (Date.now() > endsAt) throw new Error('The payout has not ended in 60 s.')
  await passTime()
  await processSubmissions(db, rails)
  await settleAllPayouts(db)
}
await rails.close()
await db.close()
