// Preview and creation of a payout of 100,000 affiliates and 1,000,000 commissions, beside the one SQL aggregate that finds the
// balances, in one run.
//
//   node bench/payout.js [--affiliates 100000] [--commissions 1000000] [--rounds 3]
//
// Everything is scratch: the service on an embedded PostgreSQL in a temporary directory. The commands run as their users run
// them, each in a process of its own, start-up included. It stops by itself.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import pg from 'pg'

const program = join(dirname(fileURLToPath(import.meta.url)), '../server/bin/tributary.js')
const { values } = parseArgs({
  options: {
    affiliates: { type: 'string', default: '100000' },
    commissions: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '3' },
  },
})
const median = numbers => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]

/** The loader: set-based, as the owner of the tables. Five commissions for each referral, one campaign. */
const load = [
  `INSERT INTO affiliates (account_id, email, email_key, status, kind, token, paypal_email)
   SELECT 1, 'a' || n || '@example.com', 'a' || n || '@example.com', 'approved', 'affiliate', 'tok' || n, 'p' || n || '@example.com'
     FROM generate_series(1, $1::integer) n`,
  `INSERT INTO enrolments (account_id, affiliate_id, campaign_id) SELECT 1, id, 1 FROM affiliates WHERE account_id = 1`,
  `INSERT INTO referrals (account_id, campaign_id, affiliate_id, customer_ref, status, occurred_at)
   SELECT 1, 1, 1 + n % $1::integer, 'customer-' || n, 'approved', now() FROM generate_series(1, $2::integer / 5) n`,
  `INSERT INTO commissions (account_id, campaign_id, affiliate_id, referral_id, entry_type, beneficiary, amount_minor, currency,
                            payout_amount_minor, payout_currency, status)
   SELECT 1, 1, r.affiliate_id, r.id, 'earned', 'affiliate', 100 + n, 'USD', 100 + n, 'USD', 'approved'
     FROM generate_series(1, 5) n, referrals r WHERE r.account_id = 1`,
]

const aggregate = `
  SELECT c.affiliate_id, sum(c.payout_amount_minor) FROM commissions c
   WHERE c.account_id = 1 AND c.campaign_id = 1 AND c.status <> 'void' AND c.beneficiary <> 'referee'
     AND NOT EXISTS (SELECT 1 FROM referrals r WHERE r.account_id = c.account_id AND r.id = c.referral_id AND r.is_test)
   GROUP BY c.affiliate_id`

const folder = await mkdtemp(join(tmpdir(), 'tributary-bench-'))
const dataDir = join(folder, 'data')
const env = { ...process.env, TRIBUTARY_DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn' }
const service = spawn(process.execPath, [program, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
let said = ''
while (!said.includes('listening on')) said += (await once(service.stdout, 'data'))[0]
const run = (...args) => execFileSync(process.execPath, [program, ...args], { env, encoding: 'utf8' })

/** Runs a command and tells how long it took, and how much memory its process held at most. */
async function measure(...args) {
  const started = performance.now()
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let peakMb = 0
  const watch = setInterval(async () => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '')
    peakMb = Math.max(peakMb, Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024))
  }, 20)
  let tail = ''
  child.stdout.on('data', chunk => {
    tail = (tail + chunk).slice(-300)
  })
  const [code] = await once(child, 'close')
  clearInterval(watch)
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`)
  return { seconds: (performance.now() - started) / 1000, peakMb, tail }
}

try {
  run('account', 'create', '--name', 'Bench', '--email', 'b@example.com', '--password', 'correct horse')
  run('campaign', 'create', '--account', '1', '--name', 'Bench', '--minimum-payout-minor', '0')
  const { owner } = JSON.parse(await readFile(join(dataDir, 'postgres.json'), 'utf8'))
  const host = join(dataDir, 'postgres/socket')
  const client = new pg.Client({ host, user: 'tributary_owner', password: owner, database: 'tributary' })
  await client.connect()
  const sizes = [Number(values.affiliates), Number(values.commissions)]
  for (const statement of load)
    await client.query(
      statement,
      sizes.slice(0, (statement.match(/\$\d/g) ?? []).length > 1 ? 2 : statement.includes('$1') ? 1 : 0),
    )
  await client.query('VACUUM ANALYZE')
  const times = { aggregate: [], preview: [], create: [] }
  let peakMb = 0
  for (let i = 0; i < Number(values.rounds); i++) {
    const started = performance.now()
    await client.query(aggregate)
    times.aggregate.push((performance.now() - started) / 1000)
    const scope = ['--account', '1', '--campaign', '1']
    const preview = await measure('payout', 'preview', ...scope, '--json')
    const create = await measure('payout', 'create', ...scope)
    const id = /Payout (\d+)/.exec(create.tail)[1]
    times.preview.push(preview.seconds)
    times.create.push(create.seconds)
    peakMb = Math.max(peakMb, preview.peakMb, create.peakMb)
    if (i + 1 < Number(values.rounds)) {
      await measure('payout', 'cancel', '--account', '1', '--id', id)
      await client.query('VACUUM ANALYZE')
    }
  }
  await client.end()
  const [bare, preview, create] = [times.aggregate, times.preview, times.create].map(median)
  const ratio = Number(((preview + create) / bare).toFixed(2))
  console.table([{ name: 'payout', preview, create, aggregate: bare, ratio, peak_mb: peakMb }])
} finally {
  service.kill('SIGTERM')
  await once(service, 'exit')
  await rm(folder, { recursive: true, force: true })
}
