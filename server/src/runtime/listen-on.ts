import { SettingsError } from '../config.ts'

/**
 * Connections that the kernel accepts for a busy process. Node.js asks for 511: of a larger burst, clients would wait for seconds. The
 * kernel may allow fewer (`net.core.somaxconn`).
 */
const LISTEN_BACKLOG = 4096

/** Listens on the configured address, or names the setting to change. */
export async function listenOn(
  app: { listen(address: { host: string; port: number; backlog: number }): Promise<unknown> },
  host: string,
  setting: 'PORT' | 'TRIBUTARY_WORKER_PORT' | 'TRIBUTARY_OPERATOR_PORT',
  port: number,
  hostSetting = 'HOST',
): Promise<void> {
  try {
    await app.listen({ host, port, backlog: LISTEN_BACKLOG })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new SettingsError(`Port ${port} on ${host} is already in use. Set ${setting} to a free port.`)
    if (code === 'EACCES')
      throw new SettingsError(
        `This user may not listen on port ${port}. Set ${setting} to a port above 1023.`,
      )
    if (code === 'EADDRNOTAVAIL')
      throw new SettingsError(`${hostSetting} ${host} is not an address of this machine.`)
    throw error
  }
}
