import { once } from 'node:events'
import {
  type AddressInfo,
  connect,
  createServer,
  type NetConnectOpts,
  type Server,
  type Socket,
} from 'node:net'
import { Transform } from 'node:stream'

/** What lies between a client and a server: it can lose everything without a word, and lead to another server. */
export class Network {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #target: NetConnectOpts
  #isCut = false
  /** How much more arrives of a connection's first bytes before it is lost, for connections that are made from now on. */
  #losesAfter = Number.POSITIVE_INFINITY
  /** How many connections were lost in the middle. */
  lost = 0

  private constructor(target: NetConnectOpts) {
    this.#target = target
    this.#server = createServer(client => this.#join(client))
  }

  static async to(target: NetConnectOpts): Promise<Network> {
    const network = new Network(target)
    network.#server.listen(0, '127.0.0.1')
    await once(network.#server, 'listening')
    return network
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Nothing arrives any more, neither at the server nor at the client, and neither learns of it; new connections are not answered. */
  cut(): void {
    this.#isCut = true
    for (const socket of this.#sockets) {
      socket.unpipe()
      socket.pause()
    }
  }

  /** Of what each open or new connection sends from now on, this much arrives, and then nothing on it in either direction. */
  loseAfter(bytes: number): void {
    this.#losesAfter = bytes
    for (const socket of this.#sockets) socket.emit('counts from now on')
  }

  /** New connections lead to this server, or to the same one. What was cut stays so. */
  leadTo(target = this.#target): void {
    this.#target = target
    this.#isCut = false
  }

  #join(client: Socket): void {
    this.#keep(client)
    if (this.#isCut) return
    const server = connect(this.#target)
    this.#keep(server)
    let sent = 0
    client.on('counts from now on', () => {
      sent = 0
    })
    const limited = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        const left = this.#losesAfter - sent
        sent += chunk.length
        if (chunk.length <= left) return done(null, chunk)
        this.lost++
        for (const socket of [client, server]) socket.unpipe().pause()
        done(null, chunk.subarray(0, Math.max(0, left)))
      },
    })
    client.pipe(limited).pipe(server)
    server.pipe(client)
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const)
      from.once('close', () => !from.isPaused() && to.destroy())
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    // Each side learns it by the end of its connection.
    socket.on('error', () => undefined)
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
