// Responds to everything with 200, and reports the number of requests on demand.
import { createServer } from 'node:http'

let received = 0
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    received++
    response.end()
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }))
process.on('message', () => process.send({ received }))
process.on('disconnect', () => process.exit())
