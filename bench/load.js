// One process of load: asks as fast as so many connections can, for so many seconds, and tells how much was answered.
import { Pool } from 'undici'

let sequence = 0

const requests = {
  get: ({ path, keys }, i) => ({
    method: 'GET',
    path,
    headers: { authorization: `Bearer ${keys[i % keys.length]}` },
  }),
  click: ({ path }) => ({ method: 'GET', path, headers: { 'user-agent': 'Mozilla/5.0' } }),
  sale: ({ path, keys }, i) => ({
    method: 'POST',
    path,
    headers: { authorization: `Bearer ${keys[i % keys.length]}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      customer_ref: `customer-${i % 64}`,
      external_id: `sale-${process.pid}-${++sequence}`,
      amount_minor: 4900,
      currency: 'USD',
    }),
  }),
}

process.on('message', async job => {
  const pool = new Pool(job.url, { connections: job.connections, pipelining: 1 })
  const until = performance.now() + job.seconds * 1000
  let answered = 0
  let failures = 0
  const started = performance.now()
  const ask = async lane => {
    for (let i = lane; performance.now() < until; i += job.connections) {
      const { statusCode, body } = await pool.request(requests[job.name](job, i))
      await body.dump()
      if (statusCode >= 400) failures++
      else answered++
    }
  }
  await Promise.all(Array.from({ length: job.connections }, (_, lane) => ask(lane)))
  const rate = answered / ((performance.now() - started) / 1000)
  await pool.close()
  process.send({ rate, failures })
})
