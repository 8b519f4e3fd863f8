/** The demo is whole: it fills an empty installation once, the money in it adds up, and it is the same for the same seed. */
import { beforeAll, describe, expect, test } from 'vitest'
import { pastMidnight } from '../testing/past-midnight.ts'
import { type Env, type Result, startTributary, tributary } from './support/program.ts'
import { type Service, untilServing } from './support/service.ts'
import { newDataDir } from './support/temporary.ts'
import { until } from './support/until.ts'

await pastMidnight()

const SMALL = ['demo', '--scale', '0.05']
const EMAIL = 'demo@example.com'
const PASSWORD = 'meridian-demo'

let env: Env
let first: Result
beforeAll(async () => {
  env = { TRIBUTARY_DATA_DIR: await newDataDir() }
  first = await tributary(SMALL, env)
})

/** What was made, without the name of the account that it is in. */
const madeIn = ({ stdout }: Result) => /^Account [a-z0-9-]+: (.*)$/m.exec(stdout)?.[1]

describe('tributary demo', () => {
  test('makes an account and says how to get in', () => {
    expect(first.code, first.stderr).toBe(0)
    expect(madeIn(first)).toMatch(
      /^\d+ affiliates, \d{4} clicks, .* sales, .* payouts, \d+ webhook deliveries\.$/,
    )
    expect(first.stdout).toContain('Sign in at http://127.0.0.1:3000/dashboard')
    expect(first.stdout).toMatch(new RegExp(`Email +${EMAIL}\\n +Password +${PASSWORD}\\n`))
  })

  test('leaves nothing that doctor complains about', async () => {
    const { code, stdout, stderr } = await tributary(['doctor'], env)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).not.toContain('FAIL')
  })

  test('refuses where there are accounts, and where the name is taken', async () => {
    const again = await tributary(SMALL, env)
    expect({ code: again.code, stdout: again.stdout }).toEqual({ code: 1, stdout: '' })
    expect(again.stderr).toContain('already has accounts')
    const taken = await tributary([...SMALL, '--account-name', 'Meridian Software'], env)
    expect({ code: taken.code, stdout: taken.stdout }).toEqual({ code: 1, stdout: '' })
    expect(taken.stderr).toContain('"meridian-software" is taken')
  })

  test('makes the same of the same seed, beside what is there, and something else of another', async () => {
    const same = await tributary([...SMALL, '--account-name', 'Second', '--seed', '1'], env)
    expect(same.code, same.stderr).toBe(0)
    expect(madeIn(same)).toBe(madeIn(first))
    const other = await tributary([...SMALL, '--account-name', 'Third', '--seed', '2'], env)
    expect(other.code, other.stderr).toBe(0)
    expect(madeIn(other)).not.toBe(madeIn(first))
  })

  test.each(['9', 'all'])('refuses the scale %s', async scale => {
    const { code, stderr } = await tributary(['demo', '--scale', scale], env)
    expect(code).toBe(1)
    expect(stderr).toContain('a number from 0.05 to 3')
  })
})

describe('tributary demo --serve', () => {
  let service: Service
  beforeAll(async () => {
    service = await untilServing(startTributary(['demo', '--serve'], { ...env, PORT: '0' }))
  })

  test('serves what is there, without making it anew', async () => {
    const greeting = `Sign in at ${service.url}/dashboard`
    await until('it says how to get in', () => service.output.stdout.includes(greeting))
    expect(service.output.stdout).not.toContain('affiliates,')
  })

  test('accepts the printed credentials, and shows a year of business', async () => {
    const signedIn = await fetch(`${service.url}/dashboard/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: service.url },
      body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
    })
    expect(signedIn.status).toBe(200)
    const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] as string
    const ask = async (path: string) =>
      // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails where it is not there.
      (await fetch(`${service.url}/dashboard/api/${path}`, { headers: { cookie } })).json() as Promise<any>
    const { accounts } = (await ask('session')) as { accounts: { id: number; slug: string; role: string }[] }
    const demo = accounts.find(({ slug }) => slug === 'meridian-software')
    expect(demo?.role).toBe('owner')
    const overview = await ask(`accounts/${demo?.id}/overview?days=365`)
    expect(overview.commissions[0].now).toBeGreaterThan(0)
    expect(overview.series.filter(({ clicks }: { clicks: number }) => clicks > 0).length).toBeGreaterThan(45)
    expect(overview.waiting.failing_endpoints).toBe(1)
    expect(overview.waiting.affiliates_to_approve).toBeGreaterThan(0)
    expect(overview.waiting.referrals_to_review).toBeGreaterThan(2)
    expect(overview.waiting.unattributed_conversions).toBeGreaterThan(0)
    expect(overview.first_steps.conversion).toBe(true)

    const day = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10)
    const year = `from=${day(364)}&to=${day(0)}`
    const { total } = await ask(`accounts/${demo?.id}/explore?${year}`)
    expect(total.now.money.length).toBeGreaterThan(1)
    expect(total.now.converted).toMatchObject({ currency: 'USD', without_rate: [] })
    const values = async (by: string) =>
      (await ask(`accounts/${demo?.id}/explore?${year}&by=${by}`)).rows.map((row: { key: string }) => row.key)
    expect(await values('country')).toEqual(expect.arrayContaining(['US', 'GB', 'DE']))
    expect(await values('device')).toEqual(expect.arrayContaining(['desktop', 'mobile', 'tablet']))
    for (const by of ['utm_source', 'sub_id', 'landing_page'])
      expect((await values(by)).length, by).toBeGreaterThan(2)
    // Beside other accounts, no rates are made up.
    const second = accounts.find(({ slug }) => slug === 'second')
    expect((await ask(`accounts/${second?.id}/explore?${year}`)).total.now.converted).toBeNull()
  })
})
