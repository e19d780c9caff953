import type { Reporter, TestModule } from 'vitest/node';

/** In CI, a test that times out on a busy machine runs once more. A wrong result is never retried. */
export const RETRY_TIMEOUTS = { count: process.env.CI ? 1 : 0, condition: /timed out|timeout|ms exceeded/i };

/**
 * Prints a machine-readable last line, such as `1500 passed, 0 failed`, after a list of the tests that passed only on
 * a retry. In CI a skipped test fails the run, because CI can install everything that tests need.
 */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) {
      // Counts a file that could not be loaded as one failure, because it has no tests that could fail.
      if (module.errors().length > 0) count.failed += 1;
      for (const test of module.children.allTests()) {
        count[test.result().state] += 1;
        if (test.diagnostic()?.flaky) process.stdout.write(`Passed when retried: ${test.fullName}\n`);
      }
    }
    const skipped = count.skipped + count.pending;
    const failed = count.failed + unhandled.length;
    if (process.env.CI && skipped > 0) {
      process.exitCode = 1;
      process.stdout.write('In CI no test may be skipped.\n');
    }
    process.stdout.write(`${count.passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
  }
}
