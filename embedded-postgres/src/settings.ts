import { join } from 'node:path'
import type { ClusterHome } from './cluster-home.ts'

export const PORT = 5432

export interface ConnectionSettings {
  host: string
  port: number
  database: string
  user: string
  password: string
}

/** The names of a program's database and its two roles. */
export const roleNames = (program: string) => ({
  database: program,
  owner: `${program}_owner`,
  service: `${program}_service`,
})

/**
 * Every setting of the server that is not PostgreSQL's default. They are passed at each start, so they follow
 * the program's version and win over postgresql.conf; an operator tunes all others (shared_buffers) there.
 */
export function serverSettings(home: ClusterHome): Record<string, string> {
  return {
    // No TCP: no port conflicts, and only the owner of the directory can connect.
    listen_addresses: '',
    // The value is a list, in which quotes protect a path with a comma or a space.
    unix_socket_directories: `"${home.socket.replaceAll('"', '""')}"`,
    // Only a part of the socket's name here, but PGPORT or postgresql.conf must not change that name.
    port: String(PORT),
    hba_file: hbaPath(home),
    max_connections: '240',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // PostgreSQL's own rotation: one file a weekday, overwritten after a week.
    logging_collector: 'on',
    log_directory: home.log,
    log_filename: 'postgres-%a.log',
    log_rotation_age: '1d',
    log_rotation_size: '0',
    log_truncate_on_rotation: 'on',
    // Already the defaults. Money depends on them, so no configuration file may turn them off.
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
  }
}

export function settingArguments(settings: Record<string, string>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** Next to the cluster, not in it: as root it then belongs to root, and PostgreSQL cannot rewrite it. */
export function hbaPath(home: ClusterHome): string {
  return join(home.directory, 'pg_hba.conf')
}

/** Password authentication over the socket only. A cluster started without these settings rejects all connections. */
export const HBA = '# Written at each start.\nlocal all all scram-sha-256\n'
