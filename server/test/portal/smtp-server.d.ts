/** What the tests use of it; the package comes without types. */
declare module 'smtp-server' {
  import type { Server } from 'node:net'
  import type { Readable } from 'node:stream'

  export class SMTPServer {
    readonly server: Server
    constructor(options: {
      authOptional: boolean
      disabledCommands: string[]
      logger?: boolean
      onData(
        message: Readable,
        session: { envelope: { rcptTo: { address: string }[] } },
        done: (error?: Error) => void,
      ): void
    })
    listen(port: number, host: string, ready?: () => void): void
    close(done: () => void): void
  }
}
