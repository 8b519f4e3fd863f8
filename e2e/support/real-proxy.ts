import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { checkout } from './program.ts'
import { temporaryDirectory } from './temporary.ts'
import { until } from './until.ts'

const NAME = 'partners.example.com'

interface Place {
  home: string
  port: number
  plainPort: number
  upstreams: [number, number]
}

interface Kind {
  binary: string
  file: string
  /** The configuration file that we ship, with this machine's ports and paths and no other changes. */
  adapt(config: string, place: Place): string
  args(path: string): string[]
}

const withUpstreams = (config: string, [first, second]: [number, number]) =>
  config
    .replaceAll('127.0.0.1:3001', `127.0.0.1:${first}`)
    .replaceAll('127.0.0.1:3002', `127.0.0.1:${second}`)

export const proxies: Record<string, Kind> = {
  nginx: {
    binary: '/usr/sbin/nginx',
    file: 'nginx.conf',
    adapt: (config, { home, port, plainPort, upstreams }) => `daemon off; pid ${home}/pid; error_log stderr;
      events {} http { client_body_temp_path ${home}/body; proxy_temp_path ${home}/proxy; fastcgi_temp_path ${home}/fast;
      uwsgi_temp_path ${home}/uwsgi; scgi_temp_path ${home}/scgi; access_log off;
      ${withUpstreams(config, upstreams)
        .replaceAll(/listen \[::\].*\n/g, '')
        .replace('listen 80;', `listen 127.0.0.1:${plainPort};`)
        .replace('listen 443 ', `listen 127.0.0.1:${port} `)
        .replace(/\/etc\/letsencrypt\S+fullchain\.pem/, `${home}/certificate.pem`)
        .replace(/\/etc\/letsencrypt\S+privkey\.pem/, `${home}/key.pem`)
        .replaceAll('/var/log/nginx/', `${home}/`)} }`,
    args: path => ['-e', 'stderr', '-c', path],
  },
  HAProxy: {
    binary: '/usr/sbin/haproxy',
    file: 'haproxy.cfg',
    adapt: (config, { home, port, plainPort, upstreams }) =>
      withUpstreams(config, upstreams)
        .replace('bind :80', `bind 127.0.0.1:${plainPort}`)
        .replace('bind :443', `bind 127.0.0.1:${port}`)
        .replace(/\/etc\/haproxy\/\S+\.pem/, `${home}/both.pem`),
    args: path => ['-q', '-f', path],
  },
  Caddy: {
    binary: '/usr/bin/caddy',
    file: 'Caddyfile',
    adapt: (config, { home, port, plainPort, upstreams }) =>
      withUpstreams(config, upstreams)
        .replace(/^{$/m, `{\n\tadmin off\n\thttp_port ${plainPort}\n\tstorage file_system ${home}`)
        .replace(`${NAME} {`, `https://${NAME}:${port} {\n\ttls ${home}/certificate.pem ${home}/key.pem`),
    args: path => ['run', '--adapter', 'caddyfile', '--config', path],
  },
}

export const isInstalled = ({ binary }: Kind) => existsSync(binary)

const isListening = (port: number) =>
  new Promise<boolean>(resolve => {
    const socket = connect(port, '127.0.0.1', () => resolve(true))
    socket.on('error', () => resolve(false)).on('connect', () => socket.destroy())
  })

/** A real proxy with the configuration that we ship, in front of these upstreams. Listens with TLS on the port. */
export async function startRealProxy(
  { binary, file, adapt, args }: Kind,
  upstreams: [number, number],
): Promise<{ port: number; plainPort: number; logged(): string; stop(): Promise<void> }> {
  const home = await temporaryDirectory(0o755)
  const at = (name: string) => join(home, name)
  const files = ['-keyout', at('key.pem'), '-out', at('certificate.pem')]
  const subject = ['-subj', `/CN=${NAME}`, '-addext', `subjectAltName=DNS:${NAME}`]
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
      ...files,
      ...subject,
    ],
    {
      stdio: 'ignore',
    },
  )
  writeFileSync(
    at('both.pem'),
    readFileSync(at('certificate.pem'), 'utf8') + readFileSync(at('key.pem'), 'utf8'),
  )
  const [port, plainPort] = [await freePort(), await freePort()]
  const config = readFileSync(join(checkout, 'docs/deploy', file), 'utf8')
  writeFileSync(at(file), adapt(config, { home, port, plainPort, upstreams }))
  const child: ChildProcess = spawn(binary, args(at(file)), {
    cwd: home,
    env: { ...process.env, HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', chunk => {
      said += chunk
    })
  await until(`${binary} listens`, () => {
    if (child.exitCode !== null) throw new Error(`${binary} ended:\n${said}`)
    return isListening(port)
  })
  return {
    port,
    plainPort,
    /** Everything it has printed and written to log files. */
    logged: () =>
      readdirSync(home)
        .filter(name => name.endsWith('.log'))
        .map(name => readFileSync(at(name), 'utf8'))
        .join('') + said,
    async stop() {
      if (child.exitCode !== null) return
      // Once its output has ended too.
      const gone = once(child, 'close')
      child.kill('SIGTERM')
      await gone
    },
  }
}
