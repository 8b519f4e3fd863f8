import { SettingsError } from '../config.ts'

/** Listens on the configured address, or names the setting to change. */
export async function listenOn(
  app: { listen(address: { host: string; port: number }): Promise<unknown> },
  host: string,
  setting: 'PORT' | 'TRIBUTARY_WORKER_PORT' | 'TRIBUTARY_OPERATOR_PORT',
  port: number,
  hostSetting = 'HOST',
): Promise<void> {
  try {
    await app.listen({ host, port })
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
