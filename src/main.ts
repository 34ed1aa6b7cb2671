import manifest from '../package.json' with { type: 'json' };

/**
 * The composition root: argv → program, error → exit code. What is heavy is imported only when it is needed;
 * `--version` needs nothing.
 */
async function main(argv: readonly string[]): Promise<void> {
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    process.stdout.write(`${manifest.version}\n`);
    return;
  }
  const { runInProcess } = await import('./process.ts');
  await runInProcess(argv, manifest.version);
}

await main(process.argv.slice(2));
