/** Protects endpoints that use a program from docs/webhooks.md: each accepts genuine deliveries, and nothing else. */
import { spawn, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Event } from '@tributary/contract'
import { build } from 'rolldown'
import { Value } from 'typebox/value'
import { beforeAll, describe, expect, it } from 'vitest'
import { checkout } from './support/program.ts'
import { temporaryDirectory } from './support/temporary.ts'

const page = readFileSync(join(checkout, 'docs/webhooks.md'), 'utf8')
const blocks = [...page.matchAll(/^```(.+)\n([\s\S]*?)^```$/gm)].map(([, name = '', code = '']) => ({
  name,
  code,
}))

type Command = [file: string, ...args: string[]]

interface Language {
  /** The info string of the code block that contains this program. */
  block: string
  /** Exits with 0 if the program can be run; not needed for Node. */
  probe?: Command
  /** Turns the code into something to run. */
  prepare: (code: string, directory: string) => Promise<Command>
}

/** Bundled as if the file were in this folder, where the SDK resolves as a package. Node 20 can't run TypeScript. */
async function bundle(code: string, directory: string): Promise<Command> {
  const entry = join(checkout, 'e2e/receiver.ts')
  const file = join(directory, 'receiver.mjs')
  await build({
    input: entry,
    platform: 'node',
    plugins: [
      {
        name: 'code-block',
        resolveId: id => (id === entry ? id : null),
        load: id => (id === entry ? code : null),
      },
    ],
    output: { file, format: 'esm' },
    logLevel: 'warn',
  })
  return [process.execPath, file]
}

const script = (command: string, name: string) => async (code: string, directory: string) => {
  const file = join(directory, name)
  await writeFile(file, code)
  return [command, file] satisfies Command
}

async function compileGo(code: string, directory: string): Promise<Command> {
  const [, source] = await script('go', 'receiver.go')(code, directory)
  const program = join(directory, 'receiver')
  const { status, stderr } = spawnSync('go', ['build', '-o', program, source], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`go build: ${stderr}`)
  return [program]
}

const languages: Language[] = [
  { block: 'ts sdk', prepare: bundle },
  { block: 'ts node', prepare: bundle },
  { block: 'python', probe: ['python3', '--version'], prepare: script('python3', 'receiver.py') },
  { block: 'go', probe: ['go', 'version'], prepare: compileGo },
  { block: 'php', probe: ['php', '--version'], prepare: script('php', 'receiver.php') },
  {
    block: 'ruby',
    // Ruby before 3.0 has no constant-time comparison, which the page notes.
    probe: ['ruby', '-ropenssl', '-e', 'exit OpenSSL.respond_to?(:secure_compare)'],
    prepare: script('ruby', 'receiver.rb'),
  },
]
const canRun = ({ probe: [file, ...args] = [process.execPath, '--version'] }: Language) =>
  spawnSync(file, args, { stdio: 'ignore' }).status === 0
const tried = languages.filter(canRun)

const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD+Xh1kYvUoVo='
const body =
  '{"id":20417,"type":"promoter.approved","data":{"id":31,"name":"Zoë 🦫 日本","note":"a/b\\u0000"}}'
const now = () => Math.floor(Date.now() / 1000)
const v1 = (t: number, key = secret) => createHmac('sha256', key).update(`${t}.${body}`).digest('hex')
const signature = (t: number, key = secret) => `t=${t},v1=${v1(t, key)}`

interface Delivery {
  body?: string
  secret?: string
  signature?: string
}

function run([file, ...args]: Command, delivery: Delivery): Promise<{ code: number | null; stdout: string }> {
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    TRIBUTARY_WEBHOOK_SECRET: delivery.secret,
    TRIBUTARY_SIGNATURE: delivery.signature,
  }
  const child = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'ignore'] })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stdin.end(delivery.body ?? body)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', code => resolve({ code, stdout }))
  })
}

/** Created at the time of the attempt, because the programs use the real clock. */
const genuine: [string, () => Delivery][] = [
  ['a genuine delivery', () => ({ secret, signature: signature(now()) })],
  ['one signed 4 minutes ago', () => ({ secret, signature: signature(now() - 240) })],
  [
    'one with several signatures',
    () => {
      const t = now()
      return { secret, signature: `t=${t},v1=${v1(t, 'whsec_former')},v1=${v1(t)}` }
    },
  ],
]
const refused: [string, () => Delivery][] = [
  [
    'an altered body',
    () => ({ secret, signature: signature(now()), body: body.replace('"id":31', '"id":32') }),
  ],
  [
    'a body written anew',
    () => ({ secret, signature: signature(now()), body: JSON.stringify(JSON.parse(body), null, 1) }),
  ],
  ['an empty body', () => ({ secret, signature: signature(now()), body: '' })],
  ['a wrong secret', () => ({ secret: 'whsec_other', signature: signature(now()) })],
  ['a stale time', () => ({ secret, signature: signature(now() - 301) })],
  ['a time yet to come', () => ({ secret, signature: signature(now() + 330) })],
  [
    'a time that was made fresh',
    () => ({ secret, signature: signature(now() - 301).replace(/\d+/, String(now())) }),
  ],
  ['no signature', () => ({ secret })],
  ['a time alone', () => ({ secret, signature: `t=${now()}` })],
  ['a signature cut short', () => ({ secret, signature: signature(now()).slice(0, -2) })],
  ['a signature with more behind it', () => ({ secret, signature: `${signature(now())}zz` })],
  ['words for a signature', () => ({ secret, signature: 'genuine, =I promise,,' })],
  ['no secret, and a signature made with none', () => ({ signature: signature(now(), '') })],
  ['an empty secret, and a signature made with it', () => ({ secret: '', signature: signature(now(), '') })],
]

describe.each(tried)('the program in $block', ({ block, prepare }) => {
  let command: Command
  // Long, because Go builds its standard library on first use.
  beforeAll(async () => {
    const [only, ...more] = blocks.filter(({ name }) => name === block)
    if (!only || more.length > 0) throw new Error(`docs/webhooks.md must have one block of ${block}`)
    command = await prepare(only.code, await temporaryDirectory())
  }, 180_000)

  it.each(genuine)('accepts %s', async (_, delivery) => {
    expect(await run(command, delivery())).toEqual({ code: 0, stdout: 'promoter.approved\n' })
  })

  it.each(refused)('rejects %s', async (_, delivery) => {
    expect(await run(command, delivery())).toEqual({ code: 1, stdout: '' })
  })
})

describe('the page', () => {
  it('shows a realistic event', () => {
    const [example] = blocks.filter(({ name }) => name === 'json')
    expect(Value.Errors(Event, JSON.parse(example?.code ?? ''))).toEqual([])
  })

  it('shows the actual retry schedule', () => {
    const unitsMs: Record<string, number> = { s: 1000, min: 60_000, h: 3_600_000 }
    const rows = [...page.matchAll(/^\| (\d+) \| (\d+) (s|min|h) \| (.+) \|$/gm)]
    expect(rows.map(([, attempt]) => Number(attempt))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    const delays = rows.map(([, , count, unit = '']) => Number(count) * (unitsMs[unit] ?? Number.NaN))
    const [second, minute, hour] = [1000, 60_000, 3_600_000]
    expect(delays).toEqual([
      0,
      5 * second,
      5 * minute,
      30 * minute,
      2 * hour,
      5 * hour,
      10 * hour,
      14 * hour,
      20 * hour,
      24 * hour,
    ])
  })

  it('links to existing headings', () => {
    const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
      text
        .toLowerCase()
        .replace(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    )
    const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor)
    expect(headings).toEqual(expect.arrayContaining(links))
  })
})
