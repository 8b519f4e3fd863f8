import { SettingsError } from '../config.ts'

/** Takes the address that a setting names, or says which setting to change. */
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
      throw new SettingsError(
        `Port ${port} on ${host} is taken by another program. Set ${setting} to a free one.`,
      )
    if (code === 'EACCES')
      throw new SettingsError(`Port ${port} needs rights that this user lacks. Set ${setting} above 1023.`)
    if (code === 'EADDRNOTAVAIL')
      throw new SettingsError(`${hostSetting} ${host} is not an address of this machine.`)
    throw error
  }
}
