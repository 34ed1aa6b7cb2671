import { expect, it } from 'vitest';
import { runCommandLine } from '../../support/fake-world.ts';

const refusing =
  (...details: readonly { field: string; message: string }[]) =>
  (): Promise<Response> =>
    Promise.resolve(
      Response.json(
        {
          error: 'malformed_request',
          error_description: `The body is not valid: ${details[0]?.field} ${details[0]?.message}`,
          details,
        },
        { status: 400 },
      ),
    );

const create = async (fetch: () => Promise<Response>, ...flags: string[]): Promise<string> => {
  const { exitCode, stderr } = await runCommandLine(
    ['report', 'create', 'R', '--type', 'compliance', ...flags],
    { env: { GOVCTL_BASE_URL: 'https://s.test', GOVCTL_TOKEN: 'any', NO_COLOR: '1' }, fetch },
  );
  expect(exitCode).toBe(3);
  return stderr;
};

it.each([
  [['--framework', 'soc3'], 'framework', 'is not a known framework or control; did you mean soc2?', '--framework soc3'], // prettier-ignore
  [['--at', '2026-02-01T00:00Z'], 'delivery.scheduled_at', 'must be in the future', '--at 2026-02-01T00:00:00.000Z'], // prettier-ignore
  [['--from', '2026-01-01T00:00Z'], 'scope.date_range.start', 'must be in the past', '--from 2026-01-01T00:00:00.000Z'], // prettier-ignore
  [[], 'scope.environments.0', 'must not be empty', '--environment'],
  [[], 'scope.tags', 'must not be empty', 'scope.tags'],
])('what a service refuses of %j is said of the flag', async (flags, field, message, said) => {
  expect(await create(refusing({ field, message }), ...flags)).toContain(
    `error: The report was not created: ${said} ${message}\n  → See \`govctl report create --help\`.\n`,
  );
});

it('all that a service refuses is said', async () => {
  const stderr = await create(
    refusing(
      { field: 'framework', message: 'is unknown' },
      { field: 'scope.environments', message: 'has one twice' },
    ),
    '--framework',
    'soc3',
  );
  expect(stderr).toContain(
    'created: --framework soc3 is unknown\n  --environment: has one twice\n',
  );
});
