import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    // Tests with real processes wait for real deaths; everything else is far faster.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
