/** Protects those who run the service from holes that are known in what it is made of: a change does not pass with one. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { checkout } from './support/program.ts'

/** Runs the audit of a change against a registry that answers like this. */
async function audit(answer: RequestListener): Promise<{ code: number; output: string }> {
  const registry = createServer(answer).listen(0, '127.0.0.1')
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

const hole = {
  id: 1,
  url: 'https://example.com/advisory',
  title: 'A hole that everybody knows',
  severity: 'high',
  vulnerable_versions: '*',
}

it('a known hole fails it, and is named', async () => {
  const { code, output } = await audit(advisories({ fastify: [hole] }))
  expect(output).toContain(hole.title)
  expect(code).toBe(1)
})

it('a hole in what only our own tests use does not', async () => {
  const { code, output } = await audit(advisories({ vitest: [hole] }))
  expect([code, output]).toEqual([0, expect.stringContaining('found 0 vulnerabilities')])
})

it('a registry that answers no audits or cannot be reached is told, and fails nothing', async () => {
  const refusing = await audit((_request, response) => response.writeHead(405).end())
  for (const { code, output } of [refusing, await auditAt('http://127.0.0.1:9/')])
    expect([code, output]).toEqual([0, expect.stringContaining('nothing was checked')])
})
