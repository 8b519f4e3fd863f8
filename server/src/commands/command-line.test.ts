/** Help and typos: every command has an example, and rejects unknown input by name. */
import { CommanderError } from 'commander'
import { describe, expect, test } from 'vitest'
import { commandLine } from './command-line.ts'

const commands = [
  'serve',
  'worker',
  'migrate',
  'account',
  'account create',
  'account update',
  'user',
  'user list',
  'user reset',
  'key',
  'key create',
  'key list',
  'key revoke',
  'campaign',
  'campaign create',
  'webhook',
  'webhook deliveries',
  'webhook redeliver',
  'webhook replay',
  'webhook test',
  'webhook enable',
  'webhook disable',
  'insight',
  'insight rebuild',
  'listen',
  'referral',
  'referral approve',
  'referral reject',
  'explain',
  'adjust',
  'balance',
  'fx',
  'fx set',
  'fx fetch',
  'statement',
  'payout',
  'payout preview',
  'payout create',
  'payout show',
  'payout pay',
  'payout fail',
  'payout cancel',
  'payout export',
  'rail',
  'rail paypal',
  'connector',
  'connector add',
  'connector list',
  'connector events',
  'connector credits',
  'connector replay',
  'connector sync',
  'connector remove',
  'demo',
  'backup',
  'restore',
  'doctor',
]

/** Options without which a command cannot do its work, and the line it is tried with otherwise. */
const required: Record<string, string[]> = {
  'insight rebuild': ['--account'],
  'account create': ['--name', '--email', '--password'],
  'account update': ['--account'],
  'user list': ['--account'],
  'user reset': ['--email'],
  'key create': ['--account', '--name'],
  'key list': ['--account'],
  'key revoke': ['--account', '--id'],
  'campaign create': ['--account', '--name'],
  'webhook deliveries': ['--account'],
  'webhook redeliver': ['--account', '--id'],
  'webhook replay': ['--account', '--endpoint'],
  'webhook test': ['--account', '--endpoint'],
  'webhook enable': ['--account', '--endpoint'],
  'webhook disable': ['--account', '--endpoint'],
  listen: ['--account', '--forward'],
  'referral approve': ['--account', '--id'],
  'referral reject': ['--account', '--id'],
  explain: ['--account', '--referral'],
  adjust: ['--account', '--affiliate', '--campaign', '--amount-minor', '--description'],
  balance: ['--account', '--affiliate'],
  'fx set': ['--from', '--to', '--rate'],
  statement: ['--account', '--affiliate'],
  'payout preview': ['--account', '--campaign'],
  'payout create': ['--account', '--campaign'],
  'payout show': ['--account'],
  'payout pay': ['--account', '--id'],
  'payout fail': ['--account', '--id'],
  'payout cancel': ['--account', '--id'],
  'payout export': ['--account', '--id'],
  'rail paypal': ['--account', '--client-id'],
  'connector add': ['--account', '--signing-secret'],
  'connector list': ['--account'],
  'connector events': ['--account'],
  'connector credits': ['--account'],
  'connector replay': ['--account'],
  'connector sync': ['--account', '--since'],
  'connector remove': ['--account'],
}
const values: Record<string, string> = {
  '--account': '1',
  '--forward': 'http://localhost:4000/',
  '--id': '1',
  '--endpoint': '1',
  '--referral': '1',
  '--affiliate': '1',
  '--campaign': '1',
  '--amount-minor': '5',
  '--description': 'why',
  '--from': 'EUR',
  '--to': 'USD',
  '--rate': '1.1',
  '--client-id': 'AZ1',
  '--signing-secret': 'whsec_1',
  '--since': '2026-01-01',
  '--name': 'Acme',
  '--email': 'a@example.com',
  '--password': 'correct horse',
}

/** What a line prints and how it ends. None of these does anything, so none comes to its command. */
async function tributary(args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  let [stdout, stderr] = ['', '']
  const line = await commandLine(args, {
    out(text) {
      stdout += text
    },
    err(text) {
      stderr += text
    },
  })
  try {
    await line.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) return { code: error.exitCode, stdout, stderr }
    throw error
  }
  throw new Error(`tributary ${args.join(' ')} was carried out`)
}

/** The names below a command, as its help lists them. */
const listed = (help: string) =>
  [...(help.split('Commands:')[1] ?? '').matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name)

/** The names below a command, as this file tests them. */
function tested(group: string): string[] {
  const below = commands
    .filter(command => command.startsWith(group))
    .map(one => one.slice(group.length).trim())
  const names = below.filter(Boolean).map(command => command.split(' ')[0] as string)
  return names.length > 0 ? [...names, 'help'] : []
}

describe('help', () => {
  for (const command of ['', ...commands])
    test(`tributary ${command} --help shows an example`, async () => {
      const { code, stdout, stderr } = await tributary([...command.split(' ').filter(Boolean), '--help'])
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toMatch(/^Usage: tributary /)
      // Keeps the list above whole: a command that is added to the program has to be added there.
      expect(new Set(listed(stdout))).toEqual(new Set(tested(command)))
      expect(stdout).toMatch(new RegExp(`Example:\\n.*tributary ${command}`))
    })
})

describe('what is not understood', () => {
  for (const command of commands)
    test(`tributary ${command} refuses an unknown option by name`, async () => {
      const given = (required[command] ?? []).flatMap(name => [name, values[name] as string])
      const { code, stdout, stderr } = await tributary([...command.split(' '), ...given, '--colour', 'red'])
      expect(stderr).toContain("unknown option '--colour'")
      expect(code).toBe(1)
      expect(stdout).toBe('')
    })

  test('an unknown command, by name', async () => {
    const { code, stdout, stderr } = await tributary(['sevre'])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain("unknown command 'sevre'")
  })

  for (const command of ['migrate', 'key list --account 1'])
    test(`tributary ${command} refuses a stray word`, async () => {
      const { code, stdout, stderr } = await tributary([...command.split(' '), 'surplus'])
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(/too many arguments|surplus/)
    })

  for (const [command, names] of Object.entries(required)) {
    const missing = names.at(-1) as string
    test(`tributary ${command} without ${missing}`, async () => {
      const others = names.slice(0, -1).flatMap(name => [name, values[name] as string])
      const { code, stdout, stderr } = await tributary([...command.split(' '), ...others])
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(new RegExp(`required option '${missing} `))
    })
  }
})
