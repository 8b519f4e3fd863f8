import { beforeAll, describe, expect, test } from 'vitest'
import { type Env, must, tributary } from './support/program.ts'
import { serve } from './support/service.ts'
import { preparedDataDir } from './support/shared.ts'

let env: Env

const account = (...rest: string[]) => {
  const given = ['--name', 'Other', '--email', 'other@example.com', '--password', 'correct horse']
  for (let index = 0; index < rest.length; index += 2) {
    const at = given.indexOf(rest[index] as string)
    if (at >= 0) given[at + 1] = rest[index + 1] as string
    else given.push(rest[index] as string, rest[index + 1] as string)
  }
  return ['account', 'create', ...given]
}
const campaign = (...rest: string[]) => ['campaign', 'create', '--account', '1', '--name', 'Another', ...rest]

beforeAll(async () => {
  const { dataDir } = await preparedDataDir()
  env = { TRIBUTARY_DATA_DIR: dataDir }
  // While it runs, no command has to start the database itself.
  await serve(env)
  await must(account('--name', 'Acme', '--email', 'owner@acme.example', '--slug', 'acme'), env)
  await must(['campaign', 'create', '--account', '1', '--name', 'Taken', '--slug', 'taken'], env)
})

/** The words that the message must hold, and the command that earns it. */
const refused: [string, RegExp, string[]][] = [
  ['an account that is no number', /--account.*'abc'/, ['key', 'create', '--account', 'abc', '--name', 'x']],
  ['an unknown account for a key', /account/, ['key', 'create', '--account', '999', '--name', 'x']],
  ['an unknown account to list', /account/, ['key', 'list', '--account', '999']],
  ['an unknown account for a campaign', /account/, ['campaign', 'create', '--account', '999', '--name', 'x']],
  ['a key that does not exist', /API key/, ['key', 'revoke', '--account', '1', '--id', '999']],
  ['an unknown currency', /payout_currency|--payout-currency/, campaign('--payout-currency', 'ZZZ')],
  ['a commission without a unit', /commission/, campaign('--commission', '20')],
  ['a commission above 100%', /commission/, campaign('--commission', '101%')],
  ['a programme type', /program-type.*'club'/, campaign('--program-type', 'club')],
  ['a window of no days', /attribution_window_days/, campaign('--attribution-window-days', '0')],
  ['a destination that is no web address', /destination_url/, campaign('--destination-url', 'ftp://a.b')],
  ['a campaign slug that is taken', /"taken" is taken/, campaign('--slug', 'taken')],
  ['an account slug that is taken', /"acme" is taken/, account('--slug', 'acme')],
  ['a short password', /password.*8/, account('--password', 'short')],
  ['an invalid email', /email/, account('--email', 'not-an-email')],
  [
    'the email of a user with another password',
    /email.*password/,
    account('--email', 'OWNER@acme.example', '--password', 'incorrect horse'),
  ],
]

describe.concurrent('a command that cannot be carried out', () => {
  for (const [what, message, args] of refused)
    test(`${what}: prints only an error, on stderr`, async () => {
      const { code, stdout, stderr } = await tributary(args, env)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(message)
      expect(stderr, 'a stack trace').not.toMatch(/^\s+at .*[:(]/m)
    })
})

describe('a person who is known already', () => {
  test('opens a second account with the password they have', async () => {
    const { account_id, user_id, slug } = JSON.parse(
      await must([...account('--email', 'Owner@Acme.example', '--slug', 'acme-too'), '--json'], env),
    )
    expect({ user_id, slug }).toEqual({ user_id: 2, slug: 'acme-too' })
    expect(account_id).toBeGreaterThan(2)
  })

  test('nothing that was refused left a trace', async () => {
    const { account_id, user_id } = JSON.parse(await must([...account('--slug', 'last'), '--json'], env))
    // The refused attempts tried this very email, so it would be known had one of them left its user.
    expect(user_id).toBeGreaterThan(2)
    expect(JSON.parse(await must(['key', 'list', '--account', String(account_id), '--json'], env))).toEqual(
      [],
    )
    expect(JSON.parse(await must(['key', 'list', '--account', '2', '--json'], env))).toEqual([])
  })
})
