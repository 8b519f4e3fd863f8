// What the service reaches beside a yardstick that does the least possible, in one run. docs/performance.md explains each.
//
//   npm run bench -- [name …] [--rounds 5] [--seconds 2] [--connections 32] [--minutes 5] [--json]
//
// Everything is scratch, on loopback and in processes of its own, and ends by itself. With --json nothing but the results goes to
// stdout.
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
  if (value !== undefined && !(value > 0)) throw new Error(`--${name} takes a number above 0`)
// Alone a benchmark is done within a minute, but for those that build much to measure it.
options.minutes ??= positionals.length > 0 ? 0.6 : 5
const names = positionals.length > 0 ? positionals : Object.keys(benchmarks)
const unknown = names.filter(name => !Object.hasOwn(benchmarks, name))
if (unknown.length > 0)
  throw new Error(`There is no benchmark ${unknown.join(', ')}, only ${Object.keys(benchmarks).join(', ')}`)

const rounded = number => (number < 10 ? Number(number.toFixed(3)) : Math.round(number))

const results = []
for (const name of names) {
  if (!values.json) process.stderr.write(`${name} …\n`)
  const { atLeast, atMost, run } = benchmarks[name]
  for (const { ours, yardstick, what = '', ...rest } of [await run(options)].flat()) {
    const ratio = Number((ours / yardstick).toFixed(2))
    const result = {
      name: what ? `${name}: ${what}` : name,
      service: rounded(ours),
      yardstick: rounded(yardstick),
      ...rest,
      ratio,
      ...(atLeast && { goal: `≥ ${atLeast}`, reached: ratio >= atLeast }),
      ...(atMost && { goal: `≤ ${atMost}`, reached: ratio <= atMost }),
    }
    results.push(result)
    if (!values.json)
      process.stderr.write(`  ${result.service} : ${result.yardstick} ${rest.unit} = ${ratio}\n`)
  }
}
await writeFile(new URL('results.json', import.meta.url), `${JSON.stringify(results, null, 2)}\n`)
if (values.json) process.stdout.write(`${JSON.stringify(results)}\n`)
else console.table(results)
