/** Protects operators: with an operator port, their pages are served there and nowhere else, with one process and with several. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { freePort } from './support/free-port.ts'
import { postmasterPid } from './support/postgres-process.ts'
import { tributary } from './support/program.ts'
import { serve } from './support/service.ts'
import { preparedDataDir } from './support/shared.ts'
import { until } from './support/until.ts'

const pages = ['/healthz', '/readyz', '/metrics']

async function get(url: string): Promise<{ status: number; text: string }> {
  const response = await fetch(url)
  return { status: response.status, text: await response.text() }
}

test.each(['1', '2'])('with %s process', async processes => {
  const port = String(await freePort())
  const service = await serve({
    TRIBUTARY_DATA_DIR: (await preparedDataDir()).dataDir,
    TRIBUTARY_OPERATOR_PORT: port,
    TRIBUTARY_PROCESSES: processes,
    TRIBUTARY_DRAIN_DELAY_SECONDS: '5',
  })
  const operator = `http://127.0.0.1:${port}`
  for (const page of pages) {
    expect([page, (await get(service.url + page)).status]).toEqual([page, 404])
    expect([page, (await get(operator + page)).status]).toEqual([page, 200])
    expect([page, (await get(`${operator}${page}/`)).status]).toEqual([page, 404])
  }
  // Nothing but these is there.
  for (const path of ['/', '/dashboard', '/api/v1/affiliates', '/docs'])
    expect([path, (await get(operator + path)).status]).toEqual([path, 404])
  // The requests of all processes are counted in one place.
  for (let count = 0; count < 10; count++)
    await fetch(`${service.url}/api/v1/affiliates`, { headers: { connection: 'close' } })
  const { text } = await get(`${operator}/metrics`)
  expect(text).toMatch(/route="\/api\/v1\/affiliates",status="401"\} 10\n/)

  const stopping = service.stop()
  await until('it is draining', async () => (await get(`${operator}/readyz`)).status === 503)
  expect(await stopping).toBe(0)
  await expect(fetch(`${operator}/healthz`)).rejects.toThrow()
})

test.each(['1', '2'])('exits if its port is in use, with %s process', async processes => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  try {
    const { port } = other.address() as AddressInfo
    const { dataDir } = await preparedDataDir()
    const { code, stderr } = await tributary(['serve'], {
      TRIBUTARY_DATA_DIR: dataDir,
      PORT: '0',
      TRIBUTARY_OPERATOR_PORT: String(port),
      TRIBUTARY_PROCESSES: processes,
    })
    expect(code).toBe(1)
    expect(stderr).toContain(
      `Port ${port} on 127.0.0.1 is already in use. Set TRIBUTARY_OPERATOR_PORT to a free port.`,
    )
    expect(postmasterPid(dataDir)).toBeUndefined()
  } finally {
    other.close()
  }
})
