import type { Reporter, TestCase, TestModule } from 'vitest/node'

const SLOWEST = 20
/** A placeholder for tests that this machine lacks a requirement for. */
const LACKING = /^there is (no|none)\b/

const durationMs = (test: TestCase) => test.diagnostic()?.duration ?? 0
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`.padStart(8)

/** Ends the output with the slowest tests, with what was not tested here, and with one plain line of counts that scripts can read. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap(module => [...module.children.allTests()])
    const count = (state: string) => tests.filter(test => test.result().state === state).length
    // Neither a file that can't be loaded nor a part whose preparation fails has a failed test, and neither must look like success.
    const broken = modules
      .flatMap(module => [module, ...module.children.allSuites()])
      .filter(part => part.state() === 'failed' && part.errors().length > 0).length
    const place = ({ module, fullName }: TestCase) => `${module.relativeModuleId} > ${fullName}`
    const lines: string[] = []
    if (tests.length > SLOWEST) {
      const slowest = tests.toSorted((a, b) => durationMs(b) - durationMs(a)).slice(0, SLOWEST)
      lines.push(
        '',
        'The slowest tests:',
        ...slowest.map(test => `${seconds(durationMs(test))}  ${place(test)}`),
      )
    }
    const lacking = tests.filter(test => LACKING.test(test.name))
    if (lacking.length > 0) lines.push('', 'Not tested here:', ...lacking.map(test => `  ${place(test)}`))
    lines.push(
      '',
      `${count('passed')} passed, ${count('failed') + broken} failed, ${count('skipped')} skipped`,
    )
    process.stdout.write(`${lines.join('\n')}\n`)
  }
}
