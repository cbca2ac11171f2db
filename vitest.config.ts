import { defineConfig } from 'vitest/config';

/** CI asks for a report that can be counted, beside the one for people. */
const jsonReport = process.env.VITEST_JSON_REPORT;

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    // Tests with real processes wait for real deaths; everything else is far faster.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Files with real processes and sockets share two cores; more at once would only make each other late.
    maxWorkers: 2,
    reporters: ['default', ...(jsonReport === undefined ? [] : ['json' as const])],
    ...(jsonReport !== undefined && { outputFile: { json: jsonReport } }),
  },
});
