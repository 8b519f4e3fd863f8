// `npm run chaos`: every row of the table of faults in full size, or selected rows: `npm run chaos -- 7 11`.
// `--seed 42` repeats a run. Prints a table at the end, and writes it as JSON to e2e/chaos/results.json.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { argv, exit } from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { rows } from './rows.js'

const here = dirname(fileURLToPath(import.meta.url))
const checkout = join(here, '../..')

const { values, positionals } = parseArgs({
  args: argv.slice(2),
  allowPositionals: true,
  options: { seed: { type: 'string' } },
})
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
const wanted = positionals.map(Number)
const chosen = rows.filter(({ row }) => wanted.length === 0 || wanted.includes(row))
const unknown = wanted.filter(row => !rows.some(known => known.row === row))
if (unknown.length > 0 || !Number.isSafeInteger(seed)) {
  console.error(unknown.length > 0 ? `There is no row ${unknown.join(', ')}.` : 'The seed is a whole number.')
  exit(2)
}

const scratch = mkdtempSync(join(tmpdir(), 'tributary-chaos-'))

async function run({ row, projects, files, only }) {
  const measurementsFile = join(scratch, `${row}.jsonl`)
  const args = [
    'vitest',
    'run',
    ...projects.flatMap(project => ['--project', project]),
    '--maxWorkers',
    '1',
    '--testTimeout',
    '3600000',
    ...files,
  ]
  const begun = performance.now()
  const child = spawn('npx', only ? [...args, '-t', only] : args, {
    cwd: checkout,
    stdio: 'inherit',
    env: { ...process.env, CHAOS: 'full', CHAOS_SEED: String(seed), CHAOS_MEASUREMENTS: measurementsFile },
  })
  const [code] = await once(child, 'exit')
  const measurements = existsSync(measurementsFile)
    ? readFileSync(measurementsFile, 'utf8')
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
        .filter(measurement => measurement.row === row)
    : []
  return {
    measurements,
    holds: code === 0 && measurements.every(({ holds }) => holds),
    seconds: (performance.now() - begun) / 1000,
  }
}

const results = []
for (const each of chosen) {
  console.info(`\n── row ${each.row}: ${each.fault} (seed ${seed})`)
  results.push({ row: each.row, fault: each.fault, bar: each.bar, ...(await run(each)) })
}
rmSync(scratch, { recursive: true })

const cell = text => String(text).replaceAll('|', '/')
const summary = ({ measurements, holds }) =>
  measurements.length > 0
    ? measurements.map(({ what, value }) => `${what} ${value}`).join('; ')
    : holds
      ? 'all tests pass'
      : 'tests fail'
console.info(`\nSeed ${seed}\n`)
console.info('| Row | Fault or load | Measured | Bar | Holds | Time |\n|---|---|---|---|---|---|')
for (const result of results)
  console.info(
    `| ${result.row} | ${cell(result.fault)} | ${cell(summary(result))} | ${cell(result.bar)} | ${result.holds ? 'yes' : '**no**'} | ${result.seconds.toFixed(0)} s |`,
  )
writeFileSync(
  join(here, 'results.json'),
  `${JSON.stringify({ seed, at: new Date().toISOString(), results }, null, 2)}\n`,
)
exit(results.every(({ holds }) => holds) ? 0 : 1)
