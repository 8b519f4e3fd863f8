import type { Reporter, TestModule } from 'vitest/node'

/** Ends the output with one plain line of counts that scripts can read. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap(module => [...module.children.allTests()])
    const count = (state: string) => tests.filter(test => test.result().state === state).length
    // A file that cannot even be loaded holds no tests, and must not look like success.
    const brokenFiles = modules.filter(
      module => module.state() === 'failed' && module.errors().length > 0,
    ).length
    process.stdout.write(
      `\n${count('passed')} passed, ${count('failed') + brokenFiles} failed, ${count('skipped')} skipped\n`,
    )
  }
}
