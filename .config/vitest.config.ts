import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// Two workers without isolation: spawning tests run twice as fast, and nothing mocks a module.
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('..', import.meta.url)),
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
