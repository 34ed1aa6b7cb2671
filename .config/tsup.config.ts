import { defineConfig } from 'tsup';

const shared = {
  format: 'esm' as const,
  target: 'node20',
  outDir: 'dist',
  splitting: true,
  silent: true,
  // Node reads all of it at each start. Names stay, for stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
};

export default defineConfig([
  {
    ...shared,
    entry: {
      main: 'src/main.ts',
      client: 'src/client/client.ts',
      webhook: 'src/webhook/webhook.ts',
      'check-worker': 'src/cli/check/check-worker.ts',
      'evaluate-worker': 'src/server/evaluation/thread/evaluate-worker.ts',
      'render-worker': 'src/server/reports/rendering/thread/render-worker.ts',
    },
    clean: true,
    // Resolving and reading these file by file costs a tenth of a short command's time. They stay dependencies: their
    // licences come along, and the client's types need zod.
    noExternal: [
      'zod',
      'yaml',
      'commander',
      'chalk',
      '@marcbachmann/cel-js',
      '@bufbuild/re2',
      'ignore',
      'fast-string-width',
      'fast-string-truncated-width',
    ],
    // commander and ignore are CommonJS and ask for Node's own modules with require.
    banner: { js: 'const require = process.getBuiltinModule;' },
  },
  {
    ...shared,
    entry: { client: 'src/client/client.ts', webhook: 'src/webhook/webhook.ts' },
    dts: { only: true, compilerOptions: { incremental: false } },
  },
]);
