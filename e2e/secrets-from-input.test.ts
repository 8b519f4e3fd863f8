/** Protects secrets from other users of the machine, who can read every command line: they can be given on standard input. */
import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { type Env, startTributary } from './support/program.ts'
import { lastLine } from './support/programme.ts'
import { serve } from './support/service.ts'
import { emptyDataDir } from './support/shared.ts'

async function withInput(args: string[], env: Env, input: string) {
  const { child, ended, output } = startTributary(args, env, { stdin: 'pipe' })
  child.stdin?.end(input)
  return { code: await ended, ...output }
}

test('a password, a signing secret and an API key', async () => {
  const env = { TRIBUTARY_DATA_DIR: await emptyDataDir() }
  const account = ['account', 'create', '--name', 'Acme', '--email', 'a@example.com', '--password', '-']
  expect(await withInput(account, env, '\n')).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('--password is missing in standard input'),
  })
  expect(await withInput(account, env, ' correct horse \n')).toMatchObject({ code: 0, stderr: '' })
  const secrets = ['--signing-secret', '-', '--api-key', '-']
  const connector = ['connector', 'add', 'stripe', '--account', '1', ...secrets]
  expect(await withInput(connector, env, 'whsec_1')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--api-key is missing in standard input'),
  })
  const { stdout } = await withInput([...connector, '--json'], env, 'whsec_1\r\nrk_1\r\n')
  const added = JSON.parse(lastLine(stdout))
  expect(added.has_api_key).toBe(true)

  const { url } = await serve(env)
  const signIn = await fetch(`${url}/dashboard/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ email: 'a@example.com', password: ' correct horse ' }),
  })
  expect(signIn.status).toBe(200)
  const created = Math.floor(Date.now() / 1000)
  const event = { id: 'evt_1', object: 'event', type: 'invoice.paid', created, livemode: true }
  const body = JSON.stringify({ ...event, data: { object: {} } })
  const signature = createHmac('sha256', 'whsec_1').update(`${created}.${body}`).digest('hex')
  const delivered = await fetch(`${url}${new URL(added.webhook_url).pathname}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stripe-signature': `t=${created},v1=${signature}` },
    body,
  })
  expect(delivered.status).toBe(200)
})
