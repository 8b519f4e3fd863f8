import { once } from 'node:events'
import {
  type AddressInfo,
  connect,
  createServer,
  type NetConnectOpts,
  type Server,
  type Socket,
} from 'node:net'

/** What lies between a client and a server: it can lose everything without a word, and lead to another server. */
export class Network {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #target: NetConnectOpts
  #isCut = false

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
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.pipe(to)
      from.once('close', () => !from.isPaused() && to.destroy())
    }
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
