// Compares the service with a minimal baseline in one run. docs/performance.md explains each benchmark.
//
//   npm run bench -- [name …] [--rounds 5] [--seconds 2] [--connections 32] [--minutes 5] [--json]
//
// Everything is temporary, on loopback and in separate processes that are stopped at the end. With --json, only the results go to stdout.
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { benchmarks } from './benchmarks.js'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '32' },
    minutes: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})
const options = Object.fromEntries(
  ['rounds', 'seconds', 'connections', 'minutes'].map(name => [
    name,
    values[name] === undefined ? undefined : Number(values[name]),
  ]),
)
for (const [name, value] of Object.entries(options))
  if (value !== undefined && !(value > 0)) throw new Error(`--${name} must be greater than 0`)
// A single benchmark takes less than a minute, except for those that need a large data set.
options.minutes ??= positionals.length > 0 ? 0.6 : 5
const names = positionals.length > 0 ? positionals : Object.keys(benchmarks)
const unknown = names.filter(name => !Object.hasOwn(benchmarks, name))
if (unknown.length > 0)
  throw new Error(`Unknown benchmark ${unknown.join(', ')}. Available: ${Object.keys(benchmarks).join(', ')}`)

const rounded = number => (number < 10 ? Number(number.toFixed(3)) : Math.round(number))

/** A result with its ratio and goals; one without a baseline as it is. */
function judged(name, { ours, baseline, what = '', ...result }) {
  const { atLeast, atMost, ...rest } = {
    atLeast: benchmarks[name].atLeast,
    atMost: benchmarks[name].atMost,
    ...result,
  }
  const full = what ? `${name}: ${what}` : name
  if (ours === undefined) return { name: full, ...rest }
  const { cpuAtMostMs, msAtMost } = benchmarks[name]
  const ratio = Number((ours / baseline).toFixed(2))
  const cpuMs = rest.service_cpu_ms + rest.postgres_cpu_ms
  const goals = [
    atLeast && { goal: `≥ ${atLeast}`, reached: ratio >= atLeast },
    atMost && { goal: `≤ ${atMost}`, reached: ratio <= atMost },
    cpuAtMostMs && cpuMs && { goal: `≤ ${cpuAtMostMs} ms`, reached: cpuMs <= cpuAtMostMs },
    msAtMost && { goal: `≤ ${msAtMost} ms`, reached: ours <= msAtMost },
  ].filter(Boolean)
  return {
    name: full,
    service: rounded(ours),
    baseline: rounded(baseline),
    ...rest,
    ratio,
    ...(goals.length > 0 && {
      goal: goals.map(({ goal }) => goal).join(', '),
      reached: goals.every(({ reached }) => reached),
    }),
  }
}

/** One line about a result. */
function line({ name, service, baseline, unit, ratio, ...rest }) {
  if (ratio === undefined) return `${name}: ${JSON.stringify(rest)}`
  const cpu = rest.service_cpu_ms
    ? `, ${rest.service_cpu_ms} + ${rest.postgres_cpu_ms} ms of processor time`
    : ''
  return `${name}: ${service} : ${baseline} ${unit} = ${ratio}${cpu}`
}

const results = []
for (const name of names) {
  if (!values.json) process.stderr.write(`${name} …\n`)
  for (const result of [await benchmarks[name].run(options)].flat()) {
    results.push(judged(name, result))
    if (!values.json) process.stderr.write(`  ${line(results.at(-1))}\n`)
  }
}
await writeFile(new URL('results.json', import.meta.url), `${JSON.stringify(results, null, 2)}\n`)
if (values.json) process.stdout.write(`${JSON.stringify(results)}\n`)
else console.table(results)
