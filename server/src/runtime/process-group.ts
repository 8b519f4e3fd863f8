import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Settings } from '../config.ts'
import { MAX_CONNECTIONS } from '../db/database.ts'
import { GuessLimit } from '../http/authenticate/guess-limit.ts'
import { shared } from '../kit/shared.ts'
import type { CountOfGuesses, FromMember, MemberRequest, ToMember } from './group-messages.ts'
import { GroupMetrics } from './group-metrics.ts'
import { listenOn } from './listen-on.ts'

/** All processes together stay below the connection limit of the embedded PostgreSQL, also with the extra one of a rolling restart. */
const CONNECTIONS_OF_ALL = 170
const FEWEST_CONNECTIONS = 3
const EXPORTS_OF_ALL = 30
/** One listens for new deliveries, one keeps the embedded PostgreSQL running, and one looks for lost connections at times. */
const CONNECTIONS_BESIDE = 3

/** How long a process that is being replaced moves its clients elsewhere before it closes idle connections. */
const LET_GO_MS = 3000
/** A process that dies sooner than this is replaced after a back-off, which doubles each time. */
const SETTLED_AFTER_MS = 10_000
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [500, 30_000]

/** How many connections each process may hold for requests and background work. */
export function connectionsEach(processes: number): number {
  const share = Math.floor(CONNECTIONS_OF_ALL / (processes + 1)) - CONNECTIONS_BESIDE
  return Math.max(FEWEST_CONNECTIONS, Math.min(MAX_CONNECTIONS, share))
}

/** How many files each process may send at once: at least one, whatever the setting. */
export const exportsEach = (processes: number, wanted: number) =>
  Math.max(1, Math.min(wanted, Math.floor(EXPORTS_OF_ALL / (processes + 1))))

/** The port that all processes share. Probed here, so that a port in use is reported once and 0 resolves to the same port for all. */
export async function choosePort({ HOST, PORT }: Settings): Promise<number> {
  const probe = createServer()
  const listen = async (address: { host: string; port: number }) => {
    probe.listen(address)
    await once(probe, 'listening')
  }
  await listenOn({ listen }, HOST, 'PORT', PORT)
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

/** A slot of the group; its worker is undefined while the next one starts. */
interface Seat {
  worker: Worker | undefined
  starting: Promise<Worker> | undefined
  servingSince: number
  pauseMs: number
}

/**
 * The processes that serve requests, seen from the primary. The primary keeps their number, distributes connections and counts what
 * has to be counted once. Each member does all that a single `serve` does, background work included: delivery throughput grows with
 * the processes, a process that dies takes no work with it, and a rolling restart brings new code to all of it. The cost is one idle
 * claim each.
 */
export class ProcessGroup {
  readonly #env: NodeJS.ProcessEnv
  readonly #log: Logger
  readonly #seats: Seat[]
  readonly #metrics = new GroupMetrics()
  readonly #guesses = new Map<string, GuessLimit>()
  #isStopping = false
  #restarts: Promise<void> = Promise.resolve()

  constructor(processes: number, env: NodeJS.ProcessEnv, log: Logger) {
    this.#env = env
    this.#log = log
    this.#seats = Array.from({ length: processes }, () => ({
      worker: undefined,
      starting: undefined,
      servingSince: 0,
      pauseMs: 0,
    }))
    // Not JSON, which has no NaN: a gauge whose value is unknown.
    cluster.setupPrimary({ serialization: 'advanced' })
  }

  /** Resolves with whether all of them serve. A process that fails to start has logged why. */
  async start(): Promise<boolean> {
    const [first, ...others] = this.#seats as [Seat, ...Seat[]]
    try {
      // Alone, so that what keeps all of them from starting is logged once.
      await this.#fill(first)
      await Promise.all(others.map(seat => this.#fill(seat)))
      return true
    } catch (error) {
      this.#log.error({ err: error }, 'failed to start all processes')
      return false
    }
  }

  /** Replaces the processes one by one; each stops only once its successor serves. */
  restart(): void {
    this.#restarts = this.#restarts.then(async () => {
      try {
        for (const seat of this.#seats) await this.#replace(seat)
        if (!this.#isStopping) this.#log.info('rolling restart finished')
      } catch (error) {
        this.#log.error(
          { err: error },
          'rolling restart aborted: the new process did not start; the remaining ones keep running',
        )
      }
    })
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all(this.#workers().map(worker => this.#dismiss(worker)))
  }

  /** Kills all processes, with the work in flight. */
  async kill(): Promise<void> {
    this.#isStopping = true
    await Promise.all(
      this.#workers().map(async worker => {
        if (worker.isDead()) return
        const ended = once(worker, 'exit')
        worker.process.kill('SIGKILL')
        await ended
      }),
    )
  }

  #workers(): Worker[] {
    return Object.values(cluster.workers ?? {}).filter(worker => worker !== undefined)
  }

  async #fill(seat: Seat): Promise<void> {
    seat.starting = this.#fork()
    seat.worker = await seat.starting
    seat.servingSince = performance.now()
  }

  async #replace(seat: Seat): Promise<void> {
    // A process that is starting may have read the old code and settings; if it fails, its successor reads the new ones.
    await seat.starting?.catch(() => undefined)
    const old = seat.worker
    if (this.#isStopping || !old) return
    seat.worker = undefined
    try {
      await this.#fill(seat)
    } catch (error) {
      if (old.isDead()) void this.#refill(seat)
      else seat.worker = old
      throw error
    }
    await this.#dismiss(old, LET_GO_MS)
  }

  async #refill(seat: Seat): Promise<void> {
    seat.worker = undefined
    if (performance.now() - seat.servingSince > SETTLED_AFTER_MS) seat.pauseMs = 0
    for (let isFilled = false; !isFilled; ) {
      await sleep(seat.pauseMs, undefined, { ref: false })
      seat.pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, seat.pauseMs * 2))
      if (this.#isStopping) return
      isFilled = await this.#fill(seat).then(
        () => true,
        error => {
          this.#log.error({ err: error }, 'failed to replace a process')
          return false
        },
      )
    }
  }

  /** Forks a process; resolves when it serves, rejects if it exits before. */
  #fork(): Promise<Worker> {
    const worker = cluster.fork(this.#env)
    return new Promise((resolve, reject) => {
      worker.on('error', reject)
      worker.on('message', (message: FromMember) => {
        if (message.kind === 'serving') resolve(worker)
        else this.#receive(worker, message)
      })
      worker.once('exit', (code: number | null, signal: string | null) => {
        reject(new Error(`The process exited with ${signal ?? code} before it served.`))
        void this.#metrics.exited(worker)
        const seat = this.#seats.find(one => one.worker === worker)
        if (!seat || this.#isStopping) return
        this.#log.error({ pid: worker.process.pid, code, signal }, 'process exited; replacing it')
        void this.#refill(seat)
      })
    })
  }

  #receive(worker: Worker, message: Exclude<FromMember, { kind: 'serving' }>): void {
    if (message.kind === 'figures') this.#metrics.receive(worker, message.figures)
    if (message.kind === 'forgive') this.#count(message).forgive(message.name, message.guess)
    if (message.kind === 'question') {
      const { id, question } = message
      const respond = (answer: unknown) => this.#send(worker, { kind: 'answer', id, answer })
      if (question.about === 'guesses') respond(this.#countGuess(question))
      else void this.metrics().then(respond)
    }
  }

  /** The metrics of all processes, aggregated, as text. */
  readonly metrics = shared(() =>
    this.#metrics.text(this.#workers(), worker => this.#send(worker, { kind: 'tell figures' })),
  )

  #countGuess({ method, name, ...count }: Extract<MemberRequest, { about: 'guesses' }>) {
    return this.#count(count)[method](name)
  }

  #count({ what, allowed, windowMs }: Pick<CountOfGuesses, 'what' | 'allowed' | 'windowMs'>): GuessLimit {
    const kind = `${what} ${allowed} ${windowMs}`
    const count = this.#guesses.get(kind) ?? new GuessLimit(allowed, windowMs)
    this.#guesses.set(kind, count)
    return count
  }

  async #dismiss(worker: Worker, letGoMs?: number): Promise<void> {
    if (worker.isDead()) return
    const ended = once(worker, 'exit')
    this.#send(worker, { kind: 'stop', letGoMs })
    await ended
  }

  #send(worker: Worker, message: ToMember): void {
    // A process that cannot be reached has exited, and its exit event follows.
    if (worker.isConnected()) worker.send(message, () => undefined)
  }
}
