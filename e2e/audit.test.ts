/** Protects operators from known vulnerabilities in the dependencies: a change with one fails CI. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { checkout } from './support/program.ts'

/** Runs the audit against a registry with this handler. */
async function audit(handler: RequestListener): Promise<{ code: number; output: string }> {
  const registry = createServer(handler).listen(0, '127.0.0.1')
  await once(registry, 'listening')
  onTestFinished(() => {
    registry.close()
  })
  const { port } = registry.address() as AddressInfo
  return auditAt(`http://127.0.0.1:${port}/`)
}

const auditAt = (registry: string) =>
  new Promise<{ code: number; output: string }>(resolve => {
    const env = { ...process.env, npm_config_registry: registry, npm_config_fetch_retries: '0' }
    execFile('.ci/audit', { cwd: checkout, env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
    )
  })

const advisories =
  (found: object): RequestListener =>
  (request, response) => {
    const isAudit = request.url === '/-/npm/v1/security/advisories/bulk'
    response.writeHead(isAudit ? 200 : 404, { 'content-type': 'application/json' })
    request.resume().on('end', () => response.end(JSON.stringify(isAudit ? found : {})))
  }

const vulnerability = {
  // npm caches advisories by id: one with another title needs another id.
  id: 2,
  url: 'https://example.com/advisory',
  title: 'A known vulnerability',
  severity: 'high',
  vulnerable_versions: '*',
}

it('fails on a known vulnerability and names it', async () => {
  const { code, output } = await audit(advisories({ fastify: [vulnerability] }))
  expect(output).toContain(vulnerability.title)
  expect(code).toBe(1)
})

it('passes with a vulnerability in a development dependency', async () => {
  const { code, output } = await audit(advisories({ vitest: [vulnerability] }))
  expect([code, output]).toEqual([0, expect.stringContaining('found 0 vulnerabilities')])
})

it('passes with a warning when the registry refuses audits or is unreachable', async () => {
  const refusing = await audit((_request, response) => response.writeHead(405).end())
  for (const { code, output } of [refusing, await auditAt('http://127.0.0.1:9/')])
    expect([code, output]).toEqual([0, expect.stringContaining('nothing was checked')])
})
