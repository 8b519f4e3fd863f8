import cluster from 'node:cluster'
import type { Registry } from 'prom-client'
import type { CountGuesses, Guess } from '../http/authenticate/guess-limit.ts'
import type { FromMember, Question, ToMember } from './group-messages.ts'

/** What a process of a group shares with the others, through the first one. It ends with the first one: node:cluster sees to that. */
export class GroupMember {
  readonly #answers = new Map<number, (answer: unknown) => void>()
  #registry: Registry | undefined
  #questions = 0
  /** Resolves when the first process asks this one to leave. */
  readonly dismissed: Promise<{ letGoMs: number | undefined }>

  constructor() {
    this.dismissed = new Promise(resolve => {
      process.on('message', (message: ToMember) => {
        if (message.kind === 'stop') resolve({ letGoMs: message.letGoMs })
        if (message.kind === 'tell figures') void this.tellFigures()
        if (message.kind === 'answer') {
          this.#answers.get(message.id)?.(message.answer)
          this.#answers.delete(message.id)
        }
      })
    })
    // A message that cannot be sent means that the first process is gone, and then this one is about to end.
    cluster.worker?.on('error', () => undefined)
    // The terminal is closed, or all processes were signalled at once: the first one decides what follows.
    process.on('SIGHUP', () => undefined)
  }

  /** Says that this process serves, and where its figures are. */
  serving(registry: Registry): void {
    this.#registry = registry
    this.#say({ kind: 'serving' })
  }

  /** The figures of all processes together. */
  readonly figures = () => this.#ask<string>({ about: 'figures of all' })

  /** Guesses are counted by the first process, so that an address has as many as with one process. */
  readonly countGuesses: CountGuesses = (what, allowed, windowMs) => {
    const count = { what, allowed, windowMs }
    return {
      allowed,
      state: name => this.#ask({ about: 'guesses', method: 'state', ...count, name }),
      begin: name => this.#ask<Guess>({ about: 'guesses', method: 'begin', ...count, name }),
      forgive: (name, guess) => this.#say({ kind: 'forgive', ...count, name, guess }),
    }
  }

  async tellFigures(): Promise<void> {
    this.#say({ kind: 'figures', figures: (await this.#registry?.getMetricsAsJSON()) ?? [] })
  }

  #ask<T>(question: Question): Promise<T> {
    const id = ++this.#questions
    this.#say({ kind: 'question', id, question })
    return new Promise(resolve => {
      this.#answers.set(id, resolve as (answer: unknown) => void)
    })
  }

  #say(message: FromMember): void {
    process.send?.(message)
  }
}
