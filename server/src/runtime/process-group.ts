import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Settings } from '../config.ts'
import { MOST_CONNECTIONS } from '../db/database.ts'
import { GuessLimit } from '../http/authenticate/guess-limit.ts'
import { shared } from '../kit/shared.ts'
import { GroupFigures } from './group-figures.ts'
import type { CountOfGuesses, FromMember, Question, ToMember } from './group-messages.ts'
import { listenOn } from './listen-on.ts'

/** All processes together stay below what the embedded PostgreSQL has, also with one more during a rolling restart. */
const CONNECTIONS_OF_ALL = 160
const FEWEST_CONNECTIONS = 3
const EXPORTS_OF_ALL = 30
/** One listens for new deliveries, one keeps the embedded PostgreSQL running. */
const CONNECTIONS_BESIDE = 2

/** How long a process that is being replaced leads its callers elsewhere before it closes what is idle. */
const LET_GO_MS = 3000
/** One that dies sooner than this is replaced with a pause, which doubles each time. */
const SETTLED_AFTER_MS = 10_000
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [500, 30_000]

/** How many connections each of so many processes may hold for its requests and its work. */
export function connectionsEach(processes: number): number {
  const share = Math.floor(CONNECTIONS_OF_ALL / (processes + 1)) - CONNECTIONS_BESIDE
  return Math.max(FEWEST_CONNECTIONS, Math.min(MOST_CONNECTIONS, share))
}

/** How many files each of so many processes may send at once; one at least, whatever was asked for. */
export const exportsEach = (processes: number, wanted: number) =>
  Math.max(1, Math.min(wanted, Math.floor(EXPORTS_OF_ALL / (processes + 1))))

/** The port that all processes share. It is tried here, so that one that cannot be had is told once, and 0 becomes one and the same. */
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

/** A place in the group; nobody sits there while the next one is being started. */
interface Seat {
  worker: Worker | undefined
  starting: Promise<Worker> | undefined
  servingSince: number
  pauseMs: number
}

/**
 * The processes that answer requests, seen from the first one. That one keeps their number, hands connections round and counts what
 * has to be counted once. Each of them does all that a lone `serve` does, background work too: then deliveries grow with the
 * processes, none that dies takes any work with it, and a rolling restart brings new code to all of it. What it costs is an idle claim
 * each.
 */
export class ProcessGroup {
  readonly #env: NodeJS.ProcessEnv
  readonly #log: Logger
  readonly #seats: Seat[]
  readonly #figures = new GroupFigures()
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
    // Not JSON, which does not know the figure that says "unknown".
    cluster.setupPrimary({ serialization: 'advanced' })
  }

  /** Resolves when all of them serve; answers whether they do. Why one does not, it has said itself. */
  async start(): Promise<boolean> {
    const [first, ...others] = this.#seats as [Seat, ...Seat[]]
    try {
      // Alone, so that what keeps all of them from starting is said once.
      await this.#fill(first)
      await Promise.all(others.map(seat => this.#fill(seat)))
      return true
    } catch (error) {
      this.#log.error({ err: error }, 'not all processes could be started')
      return false
    }
  }

  /** Replaces one process after the other, each by one that serves already. */
  restart(): void {
    this.#restarts = this.#restarts.then(async () => {
      try {
        for (const seat of this.#seats) await this.#replace(seat)
        if (!this.#isStopping) this.#log.info('all processes have been replaced')
      } catch (error) {
        this.#log.error({ err: error }, 'a new process did not start; those that are left go on as they are')
      }
    })
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all(this.#workers().map(worker => this.#dismiss(worker)))
  }

  /** Ends all processes with whatever they have in hand. */
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
    // One that is being started may have read its code and its settings too early; where it fails, the next one reads them anew.
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
          this.#log.error({ err: error }, 'a process could not be replaced')
          return false
        },
      )
    }
  }

  /** Starts a process; resolves when it serves, and rejects when it ends before. */
  #fork(): Promise<Worker> {
    const worker = cluster.fork(this.#env)
    return new Promise((resolve, reject) => {
      worker.on('error', reject)
      worker.on('message', (message: FromMember) => {
        if (message.kind === 'serving') resolve(worker)
        else this.#hear(worker, message)
      })
      worker.once('exit', (code: number | null, signal: string | null) => {
        reject(new Error(`The process ended with ${signal ?? code} before it served.`))
        void this.#figures.left(worker)
        const seat = this.#seats.find(one => one.worker === worker)
        if (!seat || this.#isStopping) return
        this.#log.error({ pid: worker.process.pid, code, signal }, 'a process ended and is replaced')
        void this.#refill(seat)
      })
    })
  }

  #hear(worker: Worker, message: Exclude<FromMember, { kind: 'serving' }>): void {
    if (message.kind === 'figures') this.#figures.heard(worker, message.figures)
    if (message.kind === 'forgive') this.#count(message).forgive(message.name, message.guess)
    if (message.kind === 'question') {
      const { id, question } = message
      const answer = (value: unknown) => this.#say(worker, { kind: 'answer', id, answer: value })
      if (question.about === 'guesses') answer(this.#answerOf(question))
      else void this.figures().then(answer)
    }
  }

  /** The figures of all processes together, as text. */
  readonly figures = shared(() =>
    this.#figures.text(this.#workers(), worker => this.#say(worker, { kind: 'tell figures' })),
  )

  #answerOf({ method, name, ...count }: Extract<Question, { about: 'guesses' }>) {
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
    this.#say(worker, { kind: 'stop', letGoMs })
    await ended
  }

  #say(worker: Worker, message: ToMember): void {
    // Whoever cannot be told has gone, and its exit says so.
    if (worker.isConnected()) worker.send(message, () => undefined)
  }
}
