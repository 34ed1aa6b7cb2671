import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'tsup';
import type { Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/** Writes the licences of all packages that are in the bundle beside it. */
const licences: Plugin = {
  name: 'licences',
  setup(build) {
    build.onEnd(({ metafile }) => {
      const folders = Object.keys(metafile?.inputs ?? {}).flatMap(
        (file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? [],
      );
      const texts = [...new Set(folders)].sort().map(licenceOf);
      if (texts.length === 0) return;
      // A fresh clone has no dist yet: the bundle itself is written after this.
      mkdirSync('dist', { recursive: true });
      writeFileSync('dist/licenses.txt', texts.join('\n'));
    });
  },
};

function licenceOf(folder: string): string {
  const { name, version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly version: string;
  };
  const file = readdirSync(folder).find((one) => /^(licen[cs]e|copying)/i.test(one));
  if (file === undefined) throw new Error(`${folder} has no licence text to bundle it with`);
  return `${'='.repeat(80)}\n${name} ${version}\n\n${readFileSync(path.join(folder, file), 'utf8')}`;
}

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
      'cost-worker': 'src/server/cost-imports/reading/thread/cost-worker.ts',
      'body-worker': 'src/server/http/bodies/body-worker.ts',
    },
    clean: true,
    // Resolving and reading the first ones file by file costs a tenth of a short command's time. They stay dependencies:
    // the client's types need zod. ssh2 is no dependency, as it would bring install scripts: its own and those of
    // cpu-features.
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
      'ssh2-sftp-client',
      'ssh2',
    ],
    // What ssh2 builds with install scripts, to be faster. It works without.
    external: ['cpu-features', /sshcrypto\.node$/],
    // commander and ignore are CommonJS and ask for Node's own modules with require.
    banner: { js: 'const require = process.getBuiltinModule;' },
    // ssh2 looks for files of its own, which nothing here uses: a helper for Windows' agent.
    define: { __dirname: '"."' },
    esbuildPlugins: [licences],
  },
  {
    ...shared,
    entry: { client: 'src/client/client.ts', webhook: 'src/webhook/webhook.ts' },
    dts: { only: true, compilerOptions: { incremental: false } },
  },
]);
