import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { api } from './support/api.ts'
import { withOwner } from './support/embedded-sql.ts'
import { postmasterPid, untilGone } from './support/postgres-process.ts'
import { must } from './support/program.ts'
import { type Service, serve } from './support/service.ts'
import { preparedDataDir } from './support/shared.ts'

// The guarantee: a click is committed before its visitor is redirected, so a crash loses none that was answered.

const VISITORS = 8
const ANSWERS = 200

/** A backend may have exited before its turn comes. */
function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Kills the service and every process of its PostgreSQL, all at once. */
async function killAll(service: Service, dataDir: string): Promise<void> {
  const postmaster = postmasterPid(dataDir) ?? expect.unreachable('PostgreSQL does not run')
  const parentOf = (pid: string) => {
    try {
      return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
    } catch {
      // It has ended in the meantime.
      return undefined
    }
  }
  const backends = readdirSync('/proc').filter(pid => /^\d+$/.test(pid) && parentOf(pid) === postmaster)
  expect(backends.length).toBeGreaterThan(0)
  for (const pid of [postmaster, ...backends.map(Number)]) killIfRunning(pid)
  service.child.kill('SIGKILL')
  await service.ended
  await untilGone(postmaster)
}

test('every click that was answered before kill -9 of the service and PostgreSQL is stored', async () => {
  const { dataDir, programme } = await preparedDataDir()
  const env = { TRIBUTARY_DATA_DIR: dataDir }
  let service = await serve(env)
  const terms = ['--account', String(programme.accountId), '--destination-url', 'https://shop.example/']
  const created = await must(['campaign', 'create', '--name', 'Clicks', '--json', ...terms], env)
  const { id: campaign_id } = JSON.parse(created) as { id: number }
  const tokens: string[] = []
  for (let index = 0; index < VISITORS; index++) {
    const affiliate = { email: `visited-${index}@example.com`, campaign_id }
    tokens.push((await api(service.url, programme.key).affiliates.create(affiliate)).token)
  }

  const answered: { id: number; token: string }[] = []
  let killed: Promise<void> | undefined
  const visit = async (token: string) => {
    while (!killed) {
      const answer = await fetch(`${service.url}/r/${programme.slug}/${token}`, { redirect: 'manual' }).catch(
        () => undefined,
      )
      // The crash cuts off requests in flight, or they find the database gone.
      if (answer?.status !== 302) break
      answered.push({
        token,
        id: Number(new URL(answer.headers.get('location') ?? '').searchParams.get('click_id')),
      })
      // In the same turn in which the answer arrived.
      if (answered.length >= ANSWERS) killed ??= killAll(service, dataDir)
    }
  }
  await Promise.all(tokens.map(visit))
  expect(answered.length).toBeGreaterThanOrEqual(ANSWERS)
  await killed

  service = await serve(env)
  const stored = await withOwner(dataDir, async owner => {
    const { rows } = await owner.query(
      'SELECT c.id::integer, a.token FROM clicks c JOIN affiliates a ON a.id = c.affiliate_id WHERE c.campaign_id = $1',
      [campaign_id],
    )
    return new Map(rows.map(({ id, token }) => [id, token]))
  })
  expect(answered.filter(({ id, token }) => stored.get(id) !== token)).toEqual([])
  expect(new Set(answered.map(({ id }) => id)).size).toBe(answered.length)
})
