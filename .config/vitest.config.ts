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
    // A hang is a hang on any machine; what is only slow, on a busy one, is not.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
