import type { ScheduleDocument } from '../documents/schedule.ts';
import { makeKey } from '../key.ts';
import type { LocalSchedule, Problem } from '../model.ts';
import type { Identity } from '../key.ts';
import { documentSpan, fieldSpan } from './locate.ts';
import type { RawDocument } from './parse-yaml.ts';
import type { Source } from './source.ts';
import { problemAt } from './source.ts';

/** What a schedule is known by, even where the rest of it is wrong. */
export function scheduleIdentity({ name, key }: Readonly<Record<string, unknown>>): {
  identity?: Identity;
} {
  if (typeof name !== 'string') return {};
  const given = typeof key === 'string' ? key : undefined;
  return {
    identity: {
      kind: 'Schedule',
      name,
      key: given ?? makeKey(name),
      keyField: given === undefined ? 'name' : 'key',
    },
  };
}

/** A schedule whose schema is satisfied, and what it writes out that it should not. */
export function readSchedule(
  source: Source,
  raw: RawDocument,
  document: ScheduleDocument,
): { schedule: LocalSchedule; identity?: Identity; problems: Problem[] } {
  const { key, ...rest } = document;
  const schedule: LocalSchedule['schedule'] & { kind?: 'Schedule' } = rest;
  delete schedule.kind;
  return {
    schedule: {
      key: key ?? makeKey(schedule.name),
      schedule,
      place: source.place(documentSpan(raw).start),
    },
    ...scheduleIdentity(document),
    problems:
      schedule.delivery?.team_chat?.webhook_url !== undefined ? [plainAddress(source, raw)] : [],
  };
}

const plainAddress = (source: Source, raw: RawDocument): Problem =>
  problemAt(source, fieldSpan(source, raw, ['delivery', 'team_chat', 'webhook_url']), {
    level: 'warning',
    code: 'plain-secret',
    message: 'the URL of a team chat is a secret and would stay in the git history',
    hint: 'Use webhook_url_env with the name of an environment variable of the server.',
    secret: true,
  });
