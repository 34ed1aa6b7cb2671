import { defineConfig } from 'tsup';

const shared = {
  format: 'esm' as const,
  target: 'node20',
  outDir: 'dist',
  splitting: true,
  sourcemap: false,
  minify: false,
};

export default defineConfig([
  { ...shared, entry: { main: 'src/main.ts', client: 'src/client/client.ts' }, clean: true },
  {
    ...shared,
    entry: { client: 'src/client/client.ts' },
    dts: { only: true, resolve: false, compilerOptions: { incremental: false } },
  },
]);
