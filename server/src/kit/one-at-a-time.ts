/**
 * Coalesces expensive work: under each name one run at a time, and all callers that arrive during it share the next one. No caller gets
 * a result that was started before its call.
 */
export class OneAtATime<T> {
  readonly #lanes = new Map<string, { running: Promise<T>; next: Promise<T> | undefined }>()

  run(name: string, work: () => Promise<T>): Promise<T> {
    const lane = this.#lanes.get(name)
    if (!lane) return this.#begin(name, work)
    const begin = () => this.#begin(name, work)
    lane.next ??= lane.running.then(begin, begin)
    return lane.next
  }

  #begin(name: string, work: () => Promise<T>): Promise<T> {
    const lane = { running: work(), next: undefined as Promise<T> | undefined }
    this.#lanes.set(name, lane)
    const end = () => {
      if (!lane.next) this.#lanes.delete(name)
    }
    lane.running.then(end, end)
    return lane.running
  }
}

/** One of these for each owner, such as a database. */
export function oneAtATimeFor<T>(): (owner: object) => OneAtATime<T> {
  const known = new WeakMap<object, OneAtATime<T>>()
  return owner => {
    const runs = known.get(owner) ?? new OneAtATime<T>()
    known.set(owner, runs)
    return runs
  }
}
