import cluster from 'node:cluster'
import type { Registry } from 'prom-client'
import type { CountGuesses, Guess } from '../http/authenticate/guess-limit.ts'
import type { FromMember, MemberRequest, ToMember } from './group-messages.ts'

/** What a member of a process group shares with the others, through the primary. node:cluster ends it when the primary ends. */
export class GroupMember {
  readonly #pending = new Map<number, (reply: unknown) => void>()
  #registry: Registry | undefined
  #requests = 0
  /** Resolves when the primary asks this process to stop. */
  readonly dismissed: Promise<{ letGoMs: number | undefined }>

  constructor() {
    this.dismissed = new Promise(resolve => {
      process.on('message', (message: ToMember) => {
        if (message.kind === 'stop') resolve({ letGoMs: message.letGoMs })
        if (message.kind === 'tell figures') void this.sendMetrics()
        if (message.kind === 'answer') {
          this.#pending.get(message.id)?.(message.answer)
          this.#pending.delete(message.id)
        }
      })
    })
    // A message that cannot be sent means that the primary is gone, and then this process is about to end.
    cluster.worker?.on('error', () => undefined)
  }

  /** Reports that this process accepts requests, and keeps its metrics registry. */
  serving(registry: Registry): void {
    this.#registry = registry
    this.#send({ kind: 'serving' })
  }

  /** The metrics of all processes, aggregated. */
  readonly metrics = () => this.#request<string>({ about: 'figures of all' })

  /** The primary counts guesses, so the limit per address does not grow with the number of processes. */
  readonly countGuesses: CountGuesses = (what, allowed, windowMs) => {
    const count = { what, allowed, windowMs }
    return {
      allowed,
      state: name => this.#request({ about: 'guesses', method: 'state', ...count, name }),
      begin: name => this.#request<Guess>({ about: 'guesses', method: 'begin', ...count, name }),
      forgive: (name, guess) => this.#send({ kind: 'forgive', ...count, name, guess }),
    }
  }

  async sendMetrics(): Promise<void> {
    this.#send({ kind: 'figures', figures: (await this.#registry?.getMetricsAsJSON()) ?? [] })
  }

  #request<T>(question: MemberRequest): Promise<T> {
    const id = ++this.#requests
    this.#send({ kind: 'question', id, question })
    return new Promise(resolve => {
      this.#pending.set(id, resolve as (reply: unknown) => void)
    })
  }

  #send(message: FromMember): void {
    process.send?.(message)
  }
}
