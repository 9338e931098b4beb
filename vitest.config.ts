import { defineConfig } from 'vitest/config';

/** Where .ci/run wants the counts of a tier; the command stays the very one that README names. */
const report = process.env.TENURE_TEST_REPORT;

export default defineConfig({
  test: {
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
    projects: [
      {
        test: {
          name: 'quick',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.slow.test.ts', 'test/**/*.servers.test.ts'],
          testTimeout: 20_000,
          hookTimeout: 20_000,
        },
      },
      {
        test: { name: 'slow', include: ['test/**/*.slow.test.ts'], testTimeout: 180_000, hookTimeout: 180_000 },
      },
      {
        test: {
          name: 'servers',
          include: ['test/**/*.servers.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // One API server at a time: it takes 300 MB, and times are measured on it.
          fileParallelism: false,
        },
      },
    ],
  },
});
