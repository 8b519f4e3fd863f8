import { connect, type Socket } from 'node:net'

/** A client that reads only as much of the response as the test allows. */
export class Unread {
  readonly socket: Socket
  /** Resolves however the connection ends: the server may also reset it. */
  readonly closed: Promise<unknown>
  #isDiscarding = false

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('error', () => undefined)
    this.closed = new Promise(resolve => socket.once('close', resolve))
  }

  /** Resolves with the status from the first bytes of the response; the rest stays unread. */
  static get(
    url: string,
    path: string,
    headers: Record<string, string>,
  ): { status: Promise<number>; unread: Unread } {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    const unread = new Unread(socket)
    const lines = Object.entries({ host: 'localhost', ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    )
    socket.write([`GET ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n'))
    const status = new Promise<number>((resolve, reject) => {
      socket.once('data', first => {
        if (!unread.#isDiscarding) socket.pause()
        resolve(Number(first.toString('latin1').slice(9, 12)))
      })
      socket.once('close', () => reject(new Error('The connection was closed without a response.')))
    })
    return { status, unread }
  }

  /** Reads at this pace until the response ends; resolves with the number of bytes. */
  async readSlowly(bytesAtOnce: number, pauseMs: number): Promise<number> {
    let total = 0
    let sinceRest = 0
    this.socket.on('data', chunk => {
      total += chunk.length
      sinceRest += chunk.length
      if (sinceRest < bytesAtOnce) return
      sinceRest = 0
      this.socket.pause()
      setTimeout(() => this.socket.resume(), pauseMs)
    })
    this.socket.resume()
    await this.closed
    return total
  }

  /** Discards everything from now on. */
  discard(): void {
    this.#isDiscarding = true
    this.socket.resume()
  }

  leave(): void {
    this.socket.destroy()
  }
}
